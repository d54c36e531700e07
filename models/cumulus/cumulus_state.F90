!> The quantities that the model predicts, and the base state from which it predicts departures.
!> Storage: a(k,j,i), z fastest, with halos in y and x. Arakawa C-grid: u(k,j,i) lies on the west face of
!> cell (k,j,i), v on its south face and w on its lower face; the other fields lie in its centre.
module cumulus_state
  use cumulus_constants, only: dp, halo
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: field_pointer
  implicit none
  private
  public :: base_state, model_state, allocate_base, allocate_state, new_field, all_fields, interior, &
            cell_centres, cell_faces

  !> The base state: horizontally uniform, hydrostatic, without vertical motion. Face k lies below cell k.
  type :: base_state
    real(dp), allocatable :: z(:), z_face(:)          !< heights of centres and faces, m
    real(dp), allocatable :: theta(:)                 !< potential temperature, K
    real(dp), allocatable :: qv(:)                    !< water vapour, kg kg-1
    real(dp), allocatable :: pressure(:)              !< Pa
    real(dp), allocatable :: exner(:)                 !< Exner function, 1
    real(dp), allocatable :: rho(:), rho_face(:)      !< density at centres and faces, kg m-3
    real(dp), allocatable :: u(:), v(:)               !< wind, m s-1
    real(dp), allocatable :: damping(:), damping_face(:)  !< of the sponge below the lid, s-1
  end type base_state

  type :: model_state
    real(dp), allocatable :: u(:, :, :), v(:, :, :)   !< wind to the east and north, m s-1
    real(dp), allocatable :: w(:, :, :)               !< upward wind, m s-1; nz + 1 faces, zero at both ends
    real(dp), allocatable :: theta(:, :, :)           !< potential temperature minus that of the base state, K
    real(dp), allocatable :: qv(:, :, :), ql(:, :, :) !< water vapour and cloud water, kg kg-1
    real(dp), allocatable :: p(:, :, :)               !< pressure minus that of the base state, Pa
    real(dp) :: time = 0                              !< model time, s
    real(dp) :: dt = 0                                !< length of the latest step, s; 0 before the first
    integer :: step = 0                               !< steps since time 0
  end type model_state

contains

  subroutine allocate_base(nz, base)
    integer, intent(in) :: nz
    type(base_state), intent(out) :: base

    allocate (base%z(nz), base%theta(nz), base%qv(nz), base%pressure(nz), base%exner(nz), base%rho(nz), &
              base%u(nz), base%v(nz), base%damping(nz), source=0.0_dp)
    allocate (base%z_face(nz + 1), base%rho_face(nz + 1), base%damping_face(nz + 1), source=0.0_dp)
  end subroutine allocate_base

  subroutine allocate_state(grid, state)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(out) :: state

    call new_field(grid, grid%nz, state%u)
    call new_field(grid, grid%nz, state%v)
    call new_field(grid, grid%nz + 1, state%w)
    call new_field(grid, grid%nz, state%theta)
    call new_field(grid, grid%nz, state%qv)
    call new_field(grid, grid%nz, state%ql)
    call new_field(grid, grid%nz, state%p)
  end subroutine allocate_state

  !> A field of zeros with halos.
  subroutine new_field(grid, levels, a)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: levels
    real(dp), allocatable, intent(out) :: a(:, :, :)

    allocate (a(levels, 1 - halo:grid%ny + halo, 1 - halo:grid%nx + halo), source=0.0_dp)
  end subroutine new_field

  !> All predicted fields, in the order u, v, w, theta, qv, ql, p.
  function all_fields(state) result(fields)
    type(model_state), intent(in), target :: state
    type(field_pointer) :: fields(7)

    fields(1)%a => state%u
    fields(2)%a => state%v
    fields(3)%a => state%w
    fields(4)%a => state%theta
    fields(5)%a => state%qv
    fields(6)%a => state%ql
    fields(7)%a => state%p
  end function all_fields

  !> The part of a field that this rank owns, without a copy: shape (levels, ny, nx).
  function interior(grid, a) result(view)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in), target :: a(:, 1 - halo:, 1 - halo:)
    real(dp), pointer :: view(:, :, :)

    view => a(:, 1:grid%ny, 1:grid%nx)
  end function interior

  !> Coordinates (m) of the centres of `count` cells of width `spacing` after `offset` others.
  pure function cell_centres(offset, count, spacing) result(x)
    integer, intent(in) :: offset, count
    real(dp), intent(in) :: spacing
    real(dp) :: x(count)
    integer :: i

    x = [((offset + i - 0.5_dp) * spacing, i = 1, count)]
  end function cell_centres

  !> Coordinates (m) of the lower faces of the same cells.
  pure function cell_faces(offset, count, spacing) result(x)
    integer, intent(in) :: offset, count
    real(dp), intent(in) :: spacing
    real(dp) :: x(count)
    integer :: i

    x = [((offset + i - 1) * spacing, i = 1, count)]
  end function cell_faces
end module cumulus_state
