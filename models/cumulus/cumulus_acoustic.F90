!> The small steps: pressure gradient and divergence, integrated forward-backward and explicitly.
!> Sources: Klemp and Wilhelmson (1978), J. Atmos. Sci. 35, 1070-1096 (time splitting, divergence damping);
!> Skamarock and Klemp (1992), Mon. Wea. Rev. 120, 2109-2127 (damping by a pressure weighted forward);
!> Droegemeier and Wilhelmson (1987), J. Atmos. Sci. 44, 1180-1210 (a reduced speed of sound).
module cumulus_acoustic
  use cumulus_constants, only: dp, halo, sound_speed
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: field_pointer, exchange_faces
  use cumulus_state, only: base_state, model_state, new_field
  implicit none
  private
  public :: slow_forcing, allocate_forcing, acoustic_steps, longest_small_step

  real(dp), parameter :: forward_weight = 0.1_dp    !< extrapolation of the pressure, which damps divergence
  real(dp), parameter :: margin = 0.9_dp            !< part of the longest stable small step that is used

  !> The forcing that is constant during the small steps, and the sums over them.
  type :: slow_forcing
    real(dp), allocatable :: u(:, :, :), v(:, :, :), w(:, :, :)  !< accelerations, m s-2
    real(dp), allocatable :: u_sum(:, :, :), v_sum(:, :, :), w_sum(:, :, :)
    !< winds summed over the small steps, m s-1; they carry the scalars
    real(dp), allocatable :: pressure(:, :, :)      !< pressure weighted forward in time, Pa
  end type slow_forcing

contains

  subroutine allocate_forcing(grid, slow)
    type(model_grid), intent(in) :: grid
    type(slow_forcing), intent(out) :: slow

    call new_field(grid, grid%nz, slow%u)
    call new_field(grid, grid%nz, slow%v)
    call new_field(grid, grid%nz + 1, slow%w)
    call new_field(grid, grid%nz, slow%u_sum)
    call new_field(grid, grid%nz, slow%v_sum)
    call new_field(grid, grid%nz + 1, slow%w_sum)
    call new_field(grid, grid%nz, slow%pressure)
  end subroutine allocate_forcing

  !> The longest small step (s) that is stable: sound crosses less than a cell in it.
  pure real(dp) function longest_small_step(grid)
    type(model_grid), intent(in) :: grid

    longest_small_step = margin / (sound_speed * sqrt(1 + 2 * forward_weight) &
                                   * sqrt(1 / grid%dx**2 + 1 / grid%dy**2 + 1 / grid%dz**2))
  end function longest_small_step

  !> Advances wind and pressure by `count` small steps of `dtau` seconds under the slow forcing.
  !> The wind on the far faces of the last cells is computed here and by the neighbour, with the same bits,
  !> so that only the pressure has to be exchanged.
  subroutine acoustic_steps(grid, base, count, dtau, slow, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    integer, intent(in) :: count
    real(dp), intent(in) :: dtau
    type(slow_forcing), intent(inout), target :: slow
    type(model_state), intent(inout) :: state
    integer :: i, m

    slow%u_sum = 0
    slow%v_sum = 0
    slow%w_sum = 0
    slow%pressure = state%p
    do m = 1, count
      do i = 1, grid%nx + 1
        call push_wind(grid, base, dtau, slow, state, i)
        if (i > 1) call push_pressure(grid, base, dtau, slow, state, i - 1)
      end do
      call exchange_faces(grid, field_pointer(slow%pressure))
    end do
  end subroutine acoustic_steps

  !> One small step of the winds with x index i: dv/dt = slow forcing - grad(p'/rho).
  subroutine push_wind(grid, base, dtau, slow, state, i)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in) :: dtau
    type(slow_forcing), intent(inout) :: slow
    type(model_state), intent(inout) :: state
    integer, intent(in) :: i
    real(dp) :: factor_x(grid%nz), factor_y(grid%nz), factor_z(grid%nz)
    integer :: j, k

    factor_x = 1 / (base%rho * grid%dx)
    factor_y = 1 / (base%rho * grid%dy)
    factor_z = 1 / (base%rho * grid%dz)
    associate (u => state%u, v => state%v, w => state%w, p => slow%pressure)
      do j = 1, grid%ny
        do k = 1, grid%nz
          u(k, j, i) = u(k, j, i) + dtau * (slow%u(k, j, i) - (p(k, j, i) - p(k, j, i - 1)) * factor_x(k))
          slow%u_sum(k, j, i) = slow%u_sum(k, j, i) + u(k, j, i)
        end do
      end do
      if (i > grid%nx) return
      do j = 1, grid%ny + 1
        do k = 1, grid%nz
          v(k, j, i) = v(k, j, i) + dtau * (slow%v(k, j, i) - (p(k, j, i) - p(k, j - 1, i)) * factor_y(k))
          slow%v_sum(k, j, i) = slow%v_sum(k, j, i) + v(k, j, i)
        end do
      end do
      do j = 1, grid%ny
        do k = 2, grid%nz
          w(k, j, i) = w(k, j, i) + dtau * (slow%w(k, j, i) &
                                            - (p(k, j, i) * factor_z(k) - p(k - 1, j, i) * factor_z(k - 1)))
          slow%w_sum(k, j, i) = slow%w_sum(k, j, i) + w(k, j, i)
        end do
      end do
    end associate
  end subroutine push_wind

  !> One small step of the pressure with x index i: dp'/dt = -c**2 div(rho v).
  !> REQUIRES: the winds with x index i and i + 1 have made this small step.
  subroutine push_pressure(grid, base, dtau, slow, state, i)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in) :: dtau
    type(slow_forcing), intent(inout) :: slow
    type(model_state), intent(inout) :: state
    integer, intent(in) :: i
    real(dp) :: factor_x(grid%nz), factor_y(grid%nz), factor_z(grid%nz + 1), change
    integer :: j, k

    factor_x = sound_speed**2 * dtau * base%rho / grid%dx
    factor_y = sound_speed**2 * dtau * base%rho / grid%dy
    factor_z = sound_speed**2 * dtau * base%rho_face / grid%dz
    associate (u => state%u, v => state%v, w => state%w)
      do j = 1, grid%ny
        do k = 1, grid%nz
          change = (u(k, j, i) - u(k, j, i + 1)) * factor_x(k) + (v(k, j, i) - v(k, j + 1, i)) * factor_y(k) &
                   + (w(k, j, i) * factor_z(k) - w(k + 1, j, i) * factor_z(k + 1))
          state%p(k, j, i) = state%p(k, j, i) + change
          slow%pressure(k, j, i) = state%p(k, j, i) + forward_weight * change
        end do
      end do
    end associate
  end subroutine push_pressure
end module cumulus_acoustic
