!> Condensation and evaporation of cloud water by adjustment to saturation.
!> Sources: saturation vapour pressure from Bolton (1980), Mon. Wea. Rev. 108, equation 10; adjustment as in
!> Klemp and Wilhelmson (1978), J. Atmos. Sci. 35, 1070-1096, repeated because it is a linearisation.
module cumulus_saturation
  use cumulus_constants, only: dp, cp_dry, latent_heat, r_dry, r_vapour
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state
  implicit none
  private
  public :: adjust_to_saturation, saturation_humidity

  integer, parameter :: iterations = 3

contains

  !> Saturation mixing ratio (kg kg-1) over water at a temperature (K) and a pressure (Pa).
  elemental function saturation_humidity(temperature, pressure) result(qvs)
    real(dp), intent(in) :: temperature, pressure
    real(dp) :: qvs, vapour_pressure

    vapour_pressure = 611.2_dp * exp(17.67_dp * (temperature - 273.15_dp) / (temperature - 29.65_dp))
    qvs = r_dry / r_vapour * vapour_pressure / (pressure - vapour_pressure)
  end function saturation_humidity

  !> Condenses vapour above saturation, and evaporates cloud water where the air is below it. It conserves qv
  !> + ql and the liquid-water potential temperature. Cloud water that advection made slightly negative
  !> becomes zero at the expense of vapour.
  subroutine adjust_to_saturation(grid, base, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(inout) :: state
    real(dp) :: warming(grid%nz)
    integer :: i, j, k

    warming = latent_heat / (cp_dry * base%exner)
    do i = 1, grid%nx
      do j = 1, grid%ny
        do k = 1, grid%nz
          call adjust_point(base%theta(k), base%exner(k), base%pressure(k), warming(k), &
                            state%theta(k, j, i), state%qv(k, j, i), state%ql(k, j, i))
        end do
      end do
    end do
  end subroutine adjust_to_saturation

  pure subroutine adjust_point(theta_base, exner, pressure, warming, theta, qv, ql)
    real(dp), intent(in) :: theta_base, exner, pressure, warming
    real(dp), intent(inout) :: theta, qv, ql
    real(dp) :: temperature, qvs, slope, condensed
    integer :: n

    do n = 1, iterations
      temperature = exner * (theta_base + theta)
      qvs = saturation_humidity(temperature, pressure)
      if (qv <= qvs .and. abs(ql) <= 0) return
      slope = qvs * 17.67_dp * 243.5_dp / (temperature - 29.65_dp)**2
      condensed = max((qv - qvs) / (1 + slope * warming * exner), -ql)
      theta = theta + warming * condensed
      qv = qv - condensed
      ql = ql + condensed
    end do
  end subroutine adjust_point
end module cumulus_saturation
