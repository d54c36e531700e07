!> The grid and its two-dimensional decomposition: which cells of the global domain a rank owns.
!> Global indices start at 1. x and y are periodic, and z is whole on every rank.
module cumulus_grid
  use mpi_f08, only: MPI_Comm, MPI_Comm_rank, MPI_Comm_size
  use cumulus_constants, only: dp, halo
  use cumulus_options, only: model_options
  implicit none
  private
  public :: model_grid, make_grid

  type :: model_grid
    type(MPI_Comm) :: comm                        !< communicator of the model's ranks
    integer :: rank = 0, ranks = 1
    integer :: layout_x = 1, layout_y = 1         !< ranks in x and y
    integer :: west = 0, east = 0, south = 0, north = 0  !< ranks of the neighbours
    integer :: nx_global = 0, ny_global = 0, nz = 0      !< cells of the domain
    integer :: nx = 0, ny = 0                     !< cells of this rank
    integer :: x_offset = 0, y_offset = 0         !< cells of the domain before the first one of this rank
    real(dp) :: dx = 0, dy = 0, dz = 0            !< m
  end type model_grid

contains

  !> Gives this rank its part. Errors: a message, the same one on all ranks, if the layout does not fit.
  subroutine make_grid(options, comm, grid, message)
    type(model_options), intent(in) :: options
    type(MPI_Comm), intent(in) :: comm
    type(model_grid), intent(out) :: grid
    character(:), allocatable, intent(out) :: message
    integer :: column, row

    grid%comm = comm
    call MPI_Comm_rank(comm, grid%rank)
    call MPI_Comm_size(comm, grid%ranks)
    grid%nx_global = options%nx
    grid%ny_global = options%ny
    if (options%per_rank) call grow(options, grid)
    grid%nz = options%nz
    grid%dx = options%dx
    grid%dy = options%dy
    grid%dz = options%dz
    call choose_layout(options, grid, message)
    if (message /= "") return

    column = mod(grid%rank, grid%layout_x)
    row = grid%rank / grid%layout_x
    grid%west = rank_at(grid, column - 1, row)
    grid%east = rank_at(grid, column + 1, row)
    grid%south = rank_at(grid, column, row - 1)
    grid%north = rank_at(grid, column, row + 1)
    call take_part(grid%nx_global, grid%layout_x, column, options%uneven, grid%x_offset, grid%nx)
    call take_part(grid%ny_global, grid%layout_y, row, options%uneven, grid%y_offset, grid%ny)
  end subroutine make_grid

  !> Gives each rank so many cells; the ranks form a rectangle that is as square as possible.
  subroutine grow(options, grid)
    type(model_options), intent(in) :: options
    type(model_grid), intent(inout) :: grid
    integer :: px

    px = options%layout_x
    if (px == 0) px = nint(sqrt(real(grid%ranks, dp)))
    do while (mod(grid%ranks, px) /= 0)
      px = px - 1
    end do
    grid%nx_global = options%nx * px
    grid%ny_global = options%ny * (grid%ranks / px)
  end subroutine grow

  pure function rank_at(grid, column, row) result(rank)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: column, row
    integer :: rank

    rank = modulo(row, grid%layout_y) * grid%layout_x + modulo(column, grid%layout_x)
  end function rank_at

  !> Takes the layout asked for, or the one with the shortest borders among those that fit.
  subroutine choose_layout(options, grid, message)
    type(model_options), intent(in) :: options
    type(model_grid), intent(inout) :: grid
    character(:), allocatable, intent(out) :: message
    character(200) :: text
    integer :: px, py, border, shortest

    message = ""
    text = ""
    if (options%layout_x > 0) then
      grid%layout_x = options%layout_x
      grid%layout_y = options%layout_y
      if (grid%layout_x * grid%layout_y /= grid%ranks) then
        write (text, "(a,i0,a,i0,a,i0,a,i0)") "the layout ", grid%layout_x, "x", grid%layout_y, " needs ", &
          grid%layout_x * grid%layout_y, " ranks, but the model has ", grid%ranks
      else if (.not. fits(grid, grid%layout_x, grid%layout_y)) then
        write (text, "(2(a,i0,a,i0),a,i0,a)") "the layout ", grid%layout_x, "x", grid%layout_y, &
          " does not fit ", grid%nx_global, " by ", grid%ny_global, " cells: every part needs at least ", &
          halo, " cells in x and y, the width of the halo"
      end if
      message = trim(text)
      return
    end if

    shortest = huge(1)
    do px = 1, grid%ranks
      py = grid%ranks / px
      border = px * grid%ny_global + py * grid%nx_global
      if (px * py /= grid%ranks .or. border >= shortest .or. .not. fits(grid, px, py)) cycle
      shortest = border
      grid%layout_x = px
      grid%layout_y = py
    end do
    if (shortest < huge(1)) return
    write (text, "(3(a,i0),a,i0,a)") "no layout of ", grid%ranks, " ranks fits ", grid%nx_global, " by ", &
      grid%ny_global, " cells: every part needs at least ", halo, " cells in x and y, the width of the halo"
    message = trim(text)
  end subroutine choose_layout

  pure logical function fits(grid, px, py)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: px, py

    fits = grid%nx_global / px >= halo .and. grid%ny_global / py >= halo
  end function fits

  !> The cells of one of several parts. The parts are as even as possible, or their widths grow as 1, 2, 3,
  !> ... beyond the least width. REQUIRES: cells >= parts * halo.
  pure subroutine take_part(cells, parts, part, uneven, offset, width)
    integer, intent(in) :: cells, parts, part
    logical, intent(in) :: uneven
    integer, intent(out) :: offset, width

    offset = first_cell(part)
    width = first_cell(part + 1) - offset

  contains

    pure integer function first_cell(p)
      integer, intent(in) :: p

      if (uneven) then
        first_cell = halo * p + (cells - halo * parts) * (p * (p + 1) / 2) / (parts * (parts + 1) / 2)
      else
        first_cell = (cells / parts) * p + min(p, mod(cells, parts))
      end if
    end function first_cell
  end subroutine take_part
end module cumulus_grid
