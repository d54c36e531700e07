!> Third-order upwind advection in flux form on the C-grid, for fields at any of its four points.
!> Source: Wicker and Skamarock (2002), Mon. Wea. Rev. 130, 2088-2097, equation 4. Next to the ground and
!> the lid, where the upwind stencil does not fit, the vertical flux is a centred one of second order.
module cumulus_advection
  use cumulus_constants, only: dp, halo
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state
  implicit none
  private
  public :: flux_divergence, at_centre, at_u, at_v, at_w

  !> Where a field lies on the C-grid.
  integer, parameter :: at_centre = 0, at_u = 1, at_v = 2, at_w = 3

  type :: flow
    type(base_state), pointer :: base => null()
    real(dp), pointer, contiguous :: u(:, :, :) => null(), v(:, :, :) => null(), w(:, :, :) => null()
  end type flow

contains

  !> Computes in `divergence` the divergence of the fluxes of `s` (kg m-3 s-1 times its unit), and in
  !> `mass_divergence` that of the mass fluxes that carry it (kg m-3 s-1). It computes faces of u and v up to
  !> the far side of the last cell, but not levels 1 and nz + 1 of a field at w.
  subroutine flux_divergence(grid, base, place, s, u, v, w, divergence, mass_divergence)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in), target :: base
    integer, intent(in) :: place
    real(dp), intent(in), contiguous :: s(:, 1 - halo:, 1 - halo:)
    real(dp), intent(in), target, contiguous :: u(:, 1 - halo:, 1 - halo:), v(:, 1 - halo:, 1 - halo:)
    real(dp), intent(in), target, contiguous :: w(:, 1 - halo:, 1 - halo:)
    real(dp), intent(inout), contiguous :: divergence(:, 1 - halo:, 1 - halo:)
    real(dp), intent(inout), contiguous, optional :: mass_divergence(:, 1 - halo:, 1 - halo:)
    type(flow) :: air
    real(dp), dimension(size(s, 1), grid%ny + 1) :: mass_west, flux_west
    real(dp), dimension(size(s, 1)) :: mass_east, flux_east, mass_south, flux_south, mass_north, flux_north
    real(dp), dimension(size(s, 1) + 1) :: mass_z, flux_z
    real(dp) :: per_dx, per_dy, per_dz
    integer :: i, j, nz, nx, ny

    air%base => base
    air%u => u
    air%v => v
    air%w => w
    nz = size(s, 1)
    nx = grid%nx + merge(1, 0, place == at_u)
    ny = grid%ny + merge(1, 0, place == at_v)
    per_dx = 1 / grid%dx
    per_dy = 1 / grid%dy
    per_dz = 1 / grid%dz

    do j = 1, ny
      call flux_x(1, j, mass_west(:, j), flux_west(:, j))
    end do
    do i = 1, nx
      call flux_y(i, 1, mass_south, flux_south)
      do j = 1, ny
        call flux_x(i + 1, j, mass_east, flux_east)
        call flux_y(i, j + 1, mass_north, flux_north)
        call vertical_mass_flux(air, place, nz, i, j, mass_z)
        call upwind_column(nz, mass_z, s(:, j, i), flux_z)
        divergence(:, j, i) = (flux_east - flux_west(:, j)) * per_dx + (flux_north - flux_south) * per_dy &
                              + (flux_z(2:) - flux_z(:nz)) * per_dz
        if (present(mass_divergence)) then
          mass_divergence(:, j, i) = (mass_east - mass_west(:, j)) * per_dx &
                                     + (mass_north - mass_south) * per_dy &
                                     + (mass_z(2:) - mass_z(:nz)) * per_dz
        end if
        mass_west(:, j) = mass_east
        flux_west(:, j) = flux_east
        mass_south = mass_north
        flux_south = flux_north
      end do
    end do

  contains

    subroutine flux_x(i, j, mass, flux)
      integer, intent(in) :: i, j
      real(dp), intent(out) :: mass(nz), flux(nz)

      call eastward_mass_flux(air, place, nz, i, j, mass)
      call upwind(nz, mass, s(:, j, i - 2), s(:, j, i - 1), s(:, j, i), s(:, j, i + 1), flux)
    end subroutine flux_x

    subroutine flux_y(i, j, mass, flux)
      integer, intent(in) :: i, j
      real(dp), intent(out) :: mass(nz), flux(nz)

      call northward_mass_flux(air, place, nz, i, j, mass)
      call upwind(nz, mass, s(:, j - 2, i), s(:, j - 1, i), s(:, j, i), s(:, j + 1, i), flux)
    end subroutine flux_y
  end subroutine flux_divergence

  !> Mass flux (kg m-2 s-1) through the west face of the volume around the point (j, i).
  subroutine eastward_mass_flux(air, place, nz, i, j, mass)
    type(flow), intent(in) :: air
    integer, intent(in) :: place, nz, i, j
    real(dp), intent(out) :: mass(nz)

    select case (place)
    case (at_centre); mass = air%base%rho * air%u(:, j, i)
    case (at_u); mass = 0.5_dp * air%base%rho * (air%u(:, j, i - 1) + air%u(:, j, i))
    case (at_v); mass = 0.5_dp * air%base%rho * (air%u(:, j - 1, i) + air%u(:, j, i))
    case (at_w); call to_levels(nz, air%base%rho, air%u(:, j, i), mass)
    end select
  end subroutine eastward_mass_flux

  !> Mass flux (kg m-2 s-1) through the south face of the volume around the point (j, i).
  subroutine northward_mass_flux(air, place, nz, i, j, mass)
    type(flow), intent(in) :: air
    integer, intent(in) :: place, nz, i, j
    real(dp), intent(out) :: mass(nz)

    select case (place)
    case (at_centre); mass = air%base%rho * air%v(:, j, i)
    case (at_u); mass = 0.5_dp * air%base%rho * (air%v(:, j, i - 1) + air%v(:, j, i))
    case (at_v); mass = 0.5_dp * air%base%rho * (air%v(:, j - 1, i) + air%v(:, j, i))
    case (at_w); call to_levels(nz, air%base%rho, air%v(:, j, i), mass)
    end select
  end subroutine northward_mass_flux

  !> Horizontal mass flux at the levels of w from that at the centres; none at the ground and the lid.
  pure subroutine to_levels(nz, rho, u, mass)
    integer, intent(in) :: nz
    real(dp), intent(in) :: rho(nz - 1), u(nz - 1)
    real(dp), intent(out) :: mass(nz)

    mass(1) = 0
    mass(2:nz - 1) = 0.5_dp * (rho(:nz - 2) * u(:nz - 2) + rho(2:) * u(2:))
    mass(nz) = 0
  end subroutine to_levels

  !> Mass flux (kg m-2 s-1) through the lower faces of the volumes of a column, and the upper one of the last.
  subroutine vertical_mass_flux(air, place, nz, i, j, mass)
    type(flow), intent(in) :: air
    integer, intent(in) :: place, nz, i, j
    real(dp), intent(out) :: mass(nz + 1)

    associate (rho => air%base%rho_face, w => air%w)
      select case (place)
      case (at_centre); mass = rho * w(:, j, i)
      case (at_u); mass = 0.5_dp * rho * (w(:, j, i - 1) + w(:, j, i))
      case (at_v); mass = 0.5_dp * rho * (w(:, j - 1, i) + w(:, j, i))
      case (at_w)
        mass(1) = 0
        mass(2:nz) = 0.5_dp * (rho(:nz - 1) * w(:nz - 1, j, i) + rho(2:) * w(2:, j, i))
        mass(nz + 1) = 0
      end select
    end associate
  end subroutine vertical_mass_flux

  !> Flux through a face from the values s1, s2 before and s3, s4 behind it.
  pure subroutine upwind(n, mass, s1, s2, s3, s4, flux)
    integer, intent(in) :: n
    real(dp), intent(in) :: mass(n), s1(n), s2(n), s3(n), s4(n)
    real(dp), intent(out) :: flux(n)
    real(dp), parameter :: twelfth = 1.0_dp / 12.0_dp

    flux = twelfth * (mass * (7 * (s2 + s3) - (s1 + s4)) - abs(mass) * (3 * (s3 - s2) - (s4 - s1)))
  end subroutine upwind

  !> The same flux through the faces of a column, where face k lies below value k.
  pure subroutine upwind_column(n, mass, s, flux)
    integer, intent(in) :: n
    real(dp), intent(in) :: mass(n + 1), s(n)
    real(dp), intent(out) :: flux(n + 1)

    flux(1) = 0
    flux(2) = 0.5_dp * mass(2) * (s(1) + s(2))
    call upwind(n - 3, mass(3:n - 1), s(1:n - 3), s(2:n - 2), s(3:n - 1), s(4:n), flux(3:n - 1))
    flux(n) = 0.5_dp * mass(n) * (s(n - 1) + s(n))
    flux(n + 1) = 0
  end subroutine upwind_column
end module cumulus_advection
