!> The levels, and the pressure and temperature of a place: given functions of place and time.
module globe_physics
  use globe_constants, only: day, dp, pi, scale_height, sea_depth, surface_pressure
  use globe_flow, only: flow, place
  implicit none
  private
  public :: level_set, make_levels, pressure_at_surface, temperature_of_air, temperature_of_sea

  !> Rates of an atmosphere that turns over in ten days and of an ocean that does so in two years.
  type(flow), parameter, public :: &
    atmosphere = flow(2 * pi / (10 * day), 2 * pi / (40 * day), 2 * pi / (15 * day), 1.0_dp), &
    ocean = flow(2 * pi / (730 * day), 2 * pi / (1460 * day), 2 * pi / (730 * day), -1.0_dp)
  real(dp), parameter :: year = 365 * day, kappa = 2.0_dp / 7

  !> Levels from the top down.
  type :: level_set
    real(dp), allocatable :: s(:)          !< -1 at the top, 1 at the bottom
    real(dp), allocatable :: a(:), b(:)    !< pressure = a + b * surface pressure; a in Pa
    real(dp), allocatable :: depth(:)      !< of an ocean, m, the middle of each level
    real(dp), allocatable :: border(:, :)  !< m, its upper and lower end
  end type level_set

contains

  !> Equal steps of s in an atmosphere; thin levels at the top of an ocean.
  pure function make_levels(count, is_ocean) result(levels)
    integer, intent(in) :: count
    logical, intent(in) :: is_ocean
    type(level_set) :: levels
    integer :: k

    allocate (levels%s(count), levels%a(count), levels%b(count), levels%depth(count), levels%border(2, count))
    do k = 1, count
      associate (eta => (k - 0.5_dp) / count)
        levels%s(k) = 2 * eta - 1
        levels%b(k) = eta * eta
        levels%a(k) = surface_pressure * (eta - eta * eta)
      end associate
      levels%border(:, k) = sea_depth * [real(k - 1, dp), real(k, dp)]**2 / count**2
      levels%depth(k) = 0.5_dp * (levels%border(1, k) + levels%border(2, k))
      if (is_ocean) levels%s(k) = 2 * levels%depth(k) / sea_depth - 1
    end do
  end function make_levels

  !> Pa: less over two mountains, with a wave that goes round the Earth in six days.
  pure real(dp) function pressure_at_surface(here, time)
    type(place), intent(in) :: here
    real(dp), intent(in) :: time
    real(dp) :: cosine, height

    cosine = sqrt(max(0.0_dp, 1 - here%mu * here%mu))
    height = 4000 * mountain(1.5_dp, 0.55_dp) + 2500 * mountain(4.4_dp, 0.65_dp)
    pressure_at_surface = surface_pressure * exp(-height / scale_height) + &
      1000 * cosine**3 * cos(3 * (here%longitude - 2 * pi * time / (6 * day)))

  contains

    !> 1 on the top; `mu` is the sine of its latitude.
    pure real(dp) function mountain(longitude, mu)
      real(dp), intent(in) :: longitude, mu
      real(dp) :: nearness  !< cosine of the distance

      nearness = here%mu * mu + cosine * sqrt(1 - mu * mu) * cos(here%longitude - longitude)
      mountain = exp((nearness - 1) / 0.03_dp)
    end function mountain
  end function pressure_at_surface

  !> K: the equilibrium of Held and Suarez (1994) with seasons, and the warmth of the day near the ground.
  pure real(dp) function temperature_of_air(here, pressure, at_surface, time)
    type(place), intent(in) :: here
    real(dp), intent(in) :: pressure, at_surface, time
    real(dp) :: cosine, relative

    cosine = sqrt(max(0.0_dp, 1 - here%mu * here%mu))
    relative = pressure / surface_pressure
    temperature_of_air = max(200.0_dp, relative**kappa * &
      (315 - 60 * here%mu**2 - 10 * log(relative) * cosine**2)) + &
      12 * here%mu * sin(2 * pi * time / year) + &
      5 * (pressure / at_surface)**6 * cosine * cos(here%longitude + 2 * pi * time / day)
  end function temperature_of_air

  !> degC: warm at the top, at the equator and in the west of the Pacific Ocean, with seasons near the top.
  pure real(dp) function temperature_of_sea(here, depth, time)
    type(place), intent(in) :: here
    real(dp), intent(in) :: depth, time
    real(dp) :: cosine

    cosine = sqrt(max(0.0_dp, 1 - here%mu * here%mu))
    temperature_of_sea = 1 + (26 * cosine**2 - 2) * exp(-depth / 700) + &
      3 * cosine**4 * cos(here%longitude - 2.6_dp) * exp(-depth / 200) + &
      5 * here%mu * cosine * sin(2 * pi * time / year) * exp(-depth / 60)
  end function temperature_of_sea
end module globe_physics
