!> The wind and what it carries, in closed form: the value at a place is that of the place from which the
!> wind has brought it since the start. So every point is computed alone, for any time.
!>
!> Places have a longitude, mu (the sine of the latitude) and s, which goes from -1 at the top to 1 at the
!> bottom. In each hemisphere lies one cell of overturning. With m = 2 |mu| - 1 it turns in the disc
!> r2 = m**2 + s**2 < 1 by the rate `overturning` * (1 - r2)**2: up at the equator, poleward at the top. It
!> does not diverge, as equal steps of mu are equal areas, and r2 of a parcel never changes. All air turns
!> round the Earth by the rate `rotation`, and that in the cells faster, by up to `jet`.
module globe_flow
  use globe_constants, only: dp, pi, radius
  implicit none
  private
  public :: flow, place, origin, tracer_at_start, wind

  type :: place
    real(dp) :: longitude = 0, mu = 0, s = 0  !< radians, 1, 1
  end type place

  type :: flow
    real(dp) :: overturning, rotation, jet  !< radians per second
    real(dp) :: source                      !< s where there is most of the tracer at the start
  end type flow

contains

  !> Where a parcel that is here now was at the start.
  pure type(place) function origin(air, here, time)
    type(flow), intent(in) :: air
    type(place), intent(in) :: here
    real(dp), intent(in) :: time
    real(dp) :: m, angle

    m = 2 * abs(here%mu) - 1
    angle = air%overturning * calm(m, here%s) * time
    origin%longitude = here%longitude - (air%rotation + air%jet * calm(m, here%s)) * time
    origin%mu = sign(0.5_dp * (1 + m * cos(angle) + here%s * sin(angle)), here%mu)
    origin%s = here%s * cos(angle) - m * sin(angle)
  end function origin

  !> 1 in the middle of a cell of overturning, 0 at its border and outside.
  pure real(dp) function calm(m, s)
    real(dp), intent(in) :: m, s

    calm = max(0.0_dp, 1 - m * m - s * s)**2
  end function calm

  !> At the start most of the tracer lies near its source, in three waves round the Earth.
  pure real(dp) function tracer_at_start(air, there)
    type(flow), intent(in) :: air
    type(place), intent(in) :: there
    real(dp) :: cosine_squared

    cosine_squared = max(0.0_dp, 1 - there%mu * there%mu)
    tracer_at_start = exp(-((there%s - air%source) / 0.7_dp)**2) * &
      (1 + 0.8_dp * cosine_squared * sqrt(cosine_squared) * cos(3 * there%longitude))
  end function tracer_at_start

  !> Eastward and northward wind, m s-1.
  pure subroutine wind(air, here, u, v)
    type(flow), intent(in) :: air
    type(place), intent(in) :: here
    real(dp), intent(out) :: u, v
    real(dp) :: m, cosine

    m = 2 * abs(here%mu) - 1
    cosine = sqrt(max(0.0_dp, 1 - here%mu * here%mu))
    u = radius * cosine * (air%rotation + air%jet * calm(m, here%s))
    v = 0
    if (cosine > 0) v = -sign(0.5_dp, here%mu) * radius * air%overturning * calm(m, here%s) * here%s / cosine
  end subroutine wind
end module globe_flow
