!> Eddy viscosity of the motions smaller than the grid, from deformation and stability.
!> Sources: Smagorinsky (1963), Mon. Wea. Rev. 91, 99-164; Lilly (1962), Tellus 14, 148-172 (stability).
module cumulus_viscosity
  use cumulus_advection, only: at_centre, at_u, at_v, at_w
  use cumulus_constants, only: dp, gravity, halo
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state
  implicit none
  private
  public :: eddy_viscosity, viscosity_at, prandtl_number

  real(dp), parameter :: prandtl_number = 1.0_dp / 3.0_dp  !< viscosity over diffusivity
  real(dp), parameter :: smagorinsky = 0.2_dp              !< mixing length over mesh width
  integer, parameter :: reach = 2                          !< rows of the halo that get a viscosity too

contains

  !> Eddy viscosity (m2 s-1) in the centres of cells and of two rows of the halo. It is limited to what the
  !> explicit horizontal mixing bears in a step of dt seconds.
  subroutine eddy_viscosity(grid, base, state, dt, viscosity)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    real(dp), intent(in) :: dt
    real(dp), intent(inout) :: viscosity(:, 1 - halo:, 1 - halo:)
    real(dp), dimension(grid%nz) :: deformation, stability
    real(dp) :: length2, highest
    integer :: i, j

    length2 = (smagorinsky * (grid%dx * grid%dy * grid%dz)**(1.0_dp / 3.0_dp))**2
    highest = 0.1_dp * prandtl_number * min(grid%dx, grid%dy)**2 / dt
    do i = 1 - reach, grid%nx + reach
      do j = 1 - reach, grid%ny + reach
        call deformation_squared(grid, state, i, j, deformation)
        call buoyancy_frequency_squared(grid, base, state, i, j, stability)
        viscosity(:, j, i) = length2 * sqrt(max(0.0_dp, deformation - stability / prandtl_number))
        viscosity(:, j, i) = min(highest, viscosity(:, j, i))
      end do
    end do
  end subroutine eddy_viscosity

  !> Squared rate of deformation (s-2) in the centres of a column.
  subroutine deformation_squared(grid, state, i, j, deformation)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    integer, intent(in) :: i, j
    real(dp), intent(out) :: deformation(grid%nz)
    real(dp), dimension(grid%nz) :: xx, yy, zz, xy, xz, yz
    integer :: nz

    nz = grid%nz
    associate (u => state%u, v => state%v, w => state%w)
      xx = (u(:, j, i + 1) - u(:, j, i)) / grid%dx
      yy = (v(:, j + 1, i) - v(:, j, i)) / grid%dy
      zz = (w(2:, j, i) - w(:nz, j, i)) / grid%dz
      xy = (u(:, j + 1, i) + u(:, j + 1, i + 1) - u(:, j - 1, i) - u(:, j - 1, i + 1)) / (4 * grid%dy) &
           + (v(:, j, i + 1) + v(:, j + 1, i + 1) - v(:, j, i - 1) - v(:, j + 1, i - 1)) / (4 * grid%dx)
      xz = vertical_slope(grid, 0.5_dp * (u(:, j, i) + u(:, j, i + 1))) &
           + (w(:nz, j, i + 1) + w(2:, j, i + 1) - w(:nz, j, i - 1) - w(2:, j, i - 1)) / (4 * grid%dx)
      yz = vertical_slope(grid, 0.5_dp * (v(:, j, i) + v(:, j + 1, i))) &
           + (w(:nz, j + 1, i) + w(2:, j + 1, i) - w(:nz, j - 1, i) - w(2:, j - 1, i)) / (4 * grid%dy)
    end associate
    deformation = 2 * (xx**2 + yy**2 + zz**2) + xy**2 + xz**2 + yz**2
  end subroutine deformation_squared

  !> Squared buoyancy frequency (s-2) of clear air; cloudy air counts as neutral.
  subroutine buoyancy_frequency_squared(grid, base, state, i, j, stability)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    integer, intent(in) :: i, j
    real(dp), intent(out) :: stability(grid%nz)

    stability = gravity / base%theta * vertical_slope(grid, base%theta + state%theta(:, j, i))
    where (state%ql(:, j, i) > 0) stability = 0
  end subroutine buoyancy_frequency_squared

  !> Centred vertical derivative of values in the centres of a column, one-sided at its ends.
  pure function vertical_slope(grid, s) result(slope)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in) :: s(grid%nz)
    real(dp) :: slope(grid%nz)
    integer :: nz

    nz = grid%nz
    slope(1) = (s(2) - s(1)) / grid%dz
    slope(2:nz - 1) = (s(3:) - s(:nz - 2)) / (2 * grid%dz)
    slope(nz) = (s(nz) - s(nz - 1)) / grid%dz
  end function vertical_slope

  !> Viscosity of a column at a point of the C-grid; none at the ground and the lid.
  pure subroutine viscosity_at(place, viscosity, i, j, column)
    integer, intent(in) :: place, i, j
    real(dp), intent(in), contiguous :: viscosity(:, 1 - halo:, 1 - halo:)
    real(dp), intent(out) :: column(:)
    integer :: nz

    nz = size(viscosity, 1)
    select case (place)
    case (at_centre); column = viscosity(:, j, i)
    case (at_u); column = 0.5_dp * (viscosity(:, j, i - 1) + viscosity(:, j, i))
    case (at_v); column = 0.5_dp * (viscosity(:, j - 1, i) + viscosity(:, j, i))
    case (at_w)
      column(1) = 0
      column(2:nz) = 0.5_dp * (viscosity(:nz - 1, j, i) + viscosity(2:, j, i))
      column(nz + 1) = 0
    end select
  end subroutine viscosity_at
end module cumulus_viscosity
