!> Numbers that all parts of the model use.
module globe_constants
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private

  integer, parameter, public :: dp = real64
  real(dp), parameter, public :: &
    pi = 3.14159265358979323846_dp, &
    degree = pi / 180, &            !< radians
    radius = 6.371229e6_dp, &       !< of the Earth, m
    day = 86400, &                  !< s
    surface_pressure = 101325, &    !< Pa, where there are no mountains
    scale_height = 8000, &          !< m
    sea_depth = 5000, &             !< of the deep sea, m
    gravity = 9.80665_dp, &         !< m s-2
    nothing = -9.99e33_dp           !< missing_value of the fields: below the sea floor

  !> The grids, by the words of --grid.
  integer, parameter, public :: gaussian = 1, tripolar = 2, icosahedral = 3
end module globe_constants
