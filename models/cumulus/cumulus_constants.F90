!> Kinds and physical constants of the cumulus model, in SI units.
!> Values: Bolton (1980), Mon. Wea. Rev. 108, 1046-1053, for the moist ones.
module cumulus_constants
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
  private
  public :: dp, i8

  integer, parameter :: dp = real64
  integer, parameter :: i8 = int64

  real(dp), parameter, public :: gravity = 9.81_dp            !< m s-2
  real(dp), parameter, public :: r_dry = 287.04_dp            !< gas constant of dry air, J kg-1 K-1
  real(dp), parameter, public :: r_vapour = 461.5_dp          !< gas constant of water vapour, J kg-1 K-1
  real(dp), parameter, public :: cp_dry = 1004.0_dp           !< heat capacity of dry air, J kg-1 K-1
  real(dp), parameter, public :: latent_heat = 2.501e6_dp     !< of vaporisation at 0 degrees C, J kg-1
  real(dp), parameter, public :: reference_pressure = 1.0e5_dp  !< of the Exner function, Pa
  real(dp), parameter, public :: vapour_buoyancy = r_vapour / r_dry - 1.0_dp  !< 1

  !> Reduced speed of sound (m s-1): far above every wind, far below the real one.
  real(dp), parameter, public :: sound_speed = 100.0_dp

  !> Width of the halo in x and y: a velocity on the far face of the last cell is computed on both
  !> sides of the border, and third-order upwind differences reach two cells further.
  integer, parameter, public :: halo = 3
end module cumulus_constants
