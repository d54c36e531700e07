!> Mixing by motions smaller than the grid: explicit in the horizontal, implicit in the vertical so that thin
!> layers do not limit the time step. Stress is simplified to the diffusion of each wind component; nothing
!> passes the ground or the lid.
module cumulus_mixing
  use cumulus_advection, only: at_u, at_v
  use cumulus_constants, only: dp, halo, sound_speed
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state
  use cumulus_viscosity, only: prandtl_number, viscosity_at
  implicit none
  private
  public :: horizontal_mixing, vertical_mixing

contains

  !> Tendency (unit of s per second) of a field by horizontal mixing, as far as its faces are computed.
  subroutine horizontal_mixing(grid, place, viscosity, factor, s, tendency)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: place
    real(dp), intent(in), contiguous :: viscosity(:, 1 - halo:, 1 - halo:)
    real(dp), intent(in) :: factor                  !< diffusivity over viscosity
    real(dp), intent(in), contiguous :: s(:, 1 - halo:, 1 - halo:)
    real(dp), intent(inout), contiguous :: tendency(:, 1 - halo:, 1 - halo:)
    real(dp), dimension(size(s, 1)) :: here, west, east, south, north
    real(dp) :: weight_x, weight_y
    integer :: i, j

    weight_x = 0.5_dp * factor / grid%dx**2
    weight_y = 0.5_dp * factor / grid%dy**2
    do i = 1, grid%nx + merge(1, 0, place == at_u)
      do j = 1, grid%ny + merge(1, 0, place == at_v)
        call viscosity_at(place, viscosity, i, j, here)
        call viscosity_at(place, viscosity, i - 1, j, west)
        call viscosity_at(place, viscosity, i + 1, j, east)
        call viscosity_at(place, viscosity, i, j - 1, south)
        call viscosity_at(place, viscosity, i, j + 1, north)
        tendency(:, j, i) = weight_x * ((here + east) * (s(:, j, i + 1) - s(:, j, i)) &
                                        - (west + here) * (s(:, j, i) - s(:, j, i - 1))) &
                            + weight_y * ((here + north) * (s(:, j + 1, i) - s(:, j, i)) &
                                          - (south + here) * (s(:, j, i) - s(:, j - 1, i)))
      end do
    end do
  end subroutine horizontal_mixing

  !> Mixes the columns of this rank over dt seconds. It conserves the content of each column: that of
  !> momentum, and that of scalars with the density that they are transported with.
  subroutine vertical_mixing(grid, base, viscosity, dt, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in), contiguous :: viscosity(:, 1 - halo:, 1 - halo:)
    real(dp), intent(in) :: dt
    type(model_state), intent(inout) :: state
    real(dp) :: column(grid%nz), scalars(grid%nz, 3), wind(grid%nz, 1), updraught(grid%nz - 1, 1), scale
    integer :: i, j, nz

    nz = grid%nz
    scale = dt / grid%dz**2
    do i = 1, grid%nx
      do j = 1, grid%ny
        call viscosity_at(at_u, viscosity, i, j, column)
        wind(:, 1) = state%u(:, j, i)
        call diffuse(nz, 1, base%rho, coupling(nz, scale * base%rho * column), wind)
        state%u(:, j, i) = wind(:, 1)

        call viscosity_at(at_v, viscosity, i, j, column)
        wind(:, 1) = state%v(:, j, i)
        call diffuse(nz, 1, base%rho, coupling(nz, scale * base%rho * column), wind)
        state%v(:, j, i) = wind(:, 1)

        column = scale * base%rho * viscosity(:, j, i)
        updraught(:, 1) = state%w(2:nz, j, i)
        call diffuse(nz - 1, 1, base%rho_face(2:nz), column, updraught)
        state%w(2:nz, j, i) = updraught(:, 1)

        column = scale / prandtl_number * base%rho * viscosity(:, j, i)
        scalars(:, 1) = base%theta + state%theta(:, j, i)
        scalars(:, 2) = state%qv(:, j, i)
        scalars(:, 3) = state%ql(:, j, i)
        call diffuse(nz, 3, base%rho + state%p(:, j, i) / sound_speed**2, coupling(nz, column), scalars)
        state%theta(:, j, i) = scalars(:, 1) - base%theta
        state%qv(:, j, i) = scalars(:, 2)
        state%ql(:, j, i) = scalars(:, 3)
      end do
    end do
  end subroutine vertical_mixing

  !> The coupling of neighbours through their face, from that in the centres; none through the ground and the
  !> lid.
  pure function coupling(n, centre) result(face)
    integer, intent(in) :: n
    real(dp), intent(in) :: centre(n)
    real(dp) :: face(n + 1)

    face(1) = 0
    face(2:n) = 0.5_dp * (centre(:n - 1) + centre(2:))
    face(n + 1) = 0
  end function coupling

  !> One implicit step of diffusion of `fields` values per layer, by elimination without pivoting, as the
  !> matrix is diagonally dominant. `face(k)` couples layers k - 1 and k; beyond both ends the values are
  !> zero.
  pure subroutine diffuse(n, fields, rho, face, s)
    integer, intent(in) :: n, fields
    real(dp), intent(in) :: rho(n), face(n + 1)
    real(dp), intent(inout) :: s(n, fields)
    real(dp) :: above(n), inverse
    integer :: k, f

    if (maxval(face) <= 0) return
    inverse = 1 / (rho(1) + face(1) + face(2))
    above(1) = face(2) * inverse
    s(1, :) = rho(1) * s(1, :) * inverse
    do k = 2, n
      inverse = 1 / (rho(k) + face(k) + face(k + 1) - face(k) * above(k - 1))
      above(k) = face(k + 1) * inverse
      do f = 1, fields
        s(k, f) = (rho(k) * s(k, f) + face(k) * s(k - 1, f)) * inverse
      end do
    end do
    do k = n - 1, 1, -1
      do f = 1, fields
        s(k, f) = s(k, f) + above(k) * s(k + 1, f)
      end do
    end do
  end subroutine diffuse
end module cumulus_mixing
