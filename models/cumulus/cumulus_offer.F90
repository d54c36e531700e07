!> The fields that the model offers to an output, by name: where they lie, and their values.
module cumulus_offer
  use cumulus_constants, only: dp, sound_speed
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state, interior
  implicit none
  private
  public :: offered_field, offered, find_offered, volume_values, path_values

  !> A field and its dimensions, z first; a dimension is blank if there is none.
  type :: offered_field
    character(9) :: name
    character(6) :: dimensions(3)
  end type offered_field

  type(offered_field), parameter :: offered(*) = [ &
    offered_field("u", ["z     ", "y     ", "x_face"]), &
    offered_field("v", ["z     ", "y_face", "x     "]), &
    offered_field("w", ["z_face", "y     ", "x     "]), &
    offered_field("u_centre", ["z     ", "y     ", "x     "]), &
    offered_field("v_centre", ["z     ", "y     ", "x     "]), &
    offered_field("w_centre", ["z     ", "y     ", "x     "]), &
    offered_field("theta", ["z     ", "y     ", "x     "]), &
    offered_field("qv", ["z     ", "y     ", "x     "]), &
    offered_field("ql", ["z     ", "y     ", "x     "]), &
    offered_field("p", ["z     ", "y     ", "x     "]), &
    offered_field("vwp", ["      ", "y     ", "x     "]), &
    offered_field("lwp", ["      ", "y     ", "x     "]), &
    offered_field("dt", ["      ", "      ", "      "]), &
    offered_field("cfl", ["      ", "      ", "      "])]

contains

  !> The index of a field in `offered`, or 0.
  pure integer function find_offered(name)
    character(*), intent(in) :: name

    do find_offered = size(offered), 1, -1
      if (offered(find_offered)%name == name) return
    end do
  end function find_offered

  !> The values of a field with z on this rank, with the shape (levels, ny, nx). They are those in the state,
  !> or are computed into `work`, which has the shape (nz, ny, nx).
  subroutine volume_values(grid, base, state, name, work, values)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    character(*), intent(in) :: name
    real(dp), intent(inout), target :: work(:, :, :)
    real(dp), pointer, intent(out) :: values(:, :, :)
    integer :: i, j, nz

    nz = grid%nz
    values => work
    select case (name)
    case ("u"); values => interior(grid, state%u)
    case ("v"); values => interior(grid, state%v)
    case ("w"); values => interior(grid, state%w)
    case ("qv"); values => interior(grid, state%qv)
    case ("ql"); values => interior(grid, state%ql)
    case ("p"); values => interior(grid, state%p)
    end select
    if (.not. associated(values, work)) return
    do i = 1, grid%nx
      do j = 1, grid%ny
        select case (name)
        case ("theta"); work(:, j, i) = base%theta + state%theta(:, j, i)
        case ("u_centre"); work(:, j, i) = 0.5_dp * (state%u(:, j, i) + state%u(:, j, i + 1))
        case ("v_centre"); work(:, j, i) = 0.5_dp * (state%v(:, j, i) + state%v(:, j + 1, i))
        case ("w_centre"); work(:, j, i) = 0.5_dp * (state%w(:nz, j, i) + state%w(2:, j, i))
        end select
      end do
    end do
  end subroutine volume_values

  !> Vertical integral of density times the mixing ratio of vapour (vwp) or cloud water (lwp), kg m-2. It is
  !> summed upwards, so that it has the same bits whatever the ranks are.
  subroutine path_values(grid, base, state, name, path)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    character(*), intent(in) :: name
    real(dp), intent(out) :: path(:, :)
    integer :: i, j

    do i = 1, grid%nx
      do j = 1, grid%ny
        associate (density => base%rho + state%p(:, j, i) / sound_speed**2)
          if (name == "vwp") then
            path(j, i) = grid%dz * sum(density * state%qv(:, j, i))
          else
            path(j, i) = grid%dz * sum(density * state%ql(:, j, i))
          end if
        end associate
      end do
    end do
  end subroutine path_values
end module cumulus_offer
