!> The points that a rank holds, in the order of its arrays. These have the shape that models of the real
!> world have on such a grid:
!>   gaussian     (nproma, level, block); the last block is part-filled
!>   tripolar     (x, y, depth) with a column of halo on either side, in which nothing is computed
!>   icosahedral  (level, cell)
module globe_grid
  use globe_constants, only: dp, gaussian, icosahedral, tripolar
  use globe_deal, only: neighbours, random_points, rectangle
  use globe_gaussian, only: gaussian_cell, gaussian_rows, make_gaussian
  use globe_icosahedral, only: icosahedral_cell, icosahedral_nodes, node_count, node_place
  use globe_options, only: model_options
  use globe_sphere, only: grid_cell, latitude_of, longitude_of, most_corners
  use globe_tripolar, only: basin_at, depth_at, tripolar_cell, tripolar_rows
  implicit none
  private
  public :: model_grid, make_grid, new_volume, set_column

  type :: model_grid
    integer :: kind = 0, levels = 0, corners = most_corners
    integer :: points = 0                      !< of the whole domain
    integer :: nx = 0, ny = 0                  !< of a tripolar one
    !> The point at each place of the rank's arrays, 0 where there is none. These are over (nproma, block),
    !> (x, y) or (cell, 1).
    integer, allocatable :: index(:, :)
    type(grid_cell), allocatable :: cells(:, :)
    real(dp), allocatable :: depth(:, :)       !< of the sea, m; 0 on land
    integer, allocatable :: basin(:, :)        !< 0 on land
    !> Of the mesh of triangles: the nodes of the rank's cells, and which nodes the rank hands over.
    integer :: nodes = 0                       !< of the whole domain
    integer, allocatable :: cell_nodes(:, :), node_index(:)
    real(dp), allocatable :: node_latitude(:), node_longitude(:)
  end type model_grid

contains

  subroutine make_grid(options, rank, ranks, grid)
    type(model_options), intent(in) :: options
    integer, intent(in) :: rank, ranks
    type(model_grid), intent(out) :: grid

    grid%kind = options%grid
    grid%levels = options%levels
    select case (grid%kind)
    case (gaussian); grid%points = 4 * options%size * (options%size + 9)
    case (icosahedral); grid%points = 20 * options%size**2
    case (tripolar)
      grid%nx = options%size
      grid%ny = maxval(tripolar_rows(options%size))
      grid%points = grid%nx * grid%ny
    end select
    if (grid%kind == icosahedral) grid%corners = 3
    call place_points(options, rank, ranks, grid)
    call place_cells(options, grid)
    if (grid%kind == icosahedral) call place_nodes(options, rank, ranks, grid)
  end subroutine make_grid

  !> Nodes are dealt like cells, without regard to whose cells they are corners of.
  subroutine place_nodes(options, rank, ranks, grid)
    type(model_options), intent(in) :: options
    integer, intent(in) :: rank, ranks
    type(model_grid), intent(inout) :: grid
    real(dp) :: place(3)
    integer :: i

    grid%nodes = node_count(options%size)
    if (options%is_dealt_at_random) then
      grid%node_index = random_points(grid%nodes, rank, ranks, options%seed)
    else
      grid%node_index = neighbours(grid%nodes, rank, ranks)
    end if
    allocate (grid%node_latitude(size(grid%node_index)), grid%node_longitude(size(grid%node_index)))
    do i = 1, size(grid%node_index)
      place = node_place(options%size, grid%node_index(i))
      grid%node_latitude(i) = latitude_of(place)
      grid%node_longitude(i) = modulo(longitude_of(place), 360.0_dp)
    end do
    allocate (grid%cell_nodes(3, size(grid%index)))
    do i = 1, size(grid%index)
      grid%cell_nodes(:, i) = icosahedral_nodes(options%size, grid%index(i, 1))
    end do
  end subroutine place_nodes

  !> Deals points to the ranks and gives each its place in the arrays of its rank.
  subroutine place_points(options, rank, ranks, grid)
    type(model_options), intent(in) :: options
    integer, intent(in) :: rank, ranks
    type(model_grid), intent(inout) :: grid
    integer, allocatable :: held(:)
    integer :: width, rows

    if (options%is_dealt_at_random) then
      held = random_points(grid%points, rank, ranks, options%seed)
      width = ceiling(sqrt(real(size(held))))
    else if (grid%kind == tripolar) then
      call rectangle(grid%nx, grid%ny, rank, ranks, held, width)
    else
      held = neighbours(grid%points, rank, ranks)
    end if
    select case (grid%kind)
    case (gaussian)
      rows = (size(held) + options%nproma - 1) / options%nproma
      grid%index = reshape(held, [options%nproma, rows], pad=[0])
    case (tripolar)
      rows = (size(held) + max(1, width) - 1) / max(1, width)
      allocate (grid%index(width + 2, rows), source=0)
      grid%index(2:width + 1, :) = reshape(held, [width, rows], pad=[0])
    case (icosahedral)
      grid%index = reshape(held, [size(held), 1])
    end select
  end subroutine place_points

  subroutine place_cells(options, grid)
    type(model_options), intent(in) :: options
    type(model_grid), intent(inout) :: grid
    type(gaussian_rows) :: rows
    integer :: i, j

    if (grid%kind == gaussian) rows = make_gaussian(options%size)
    associate (a => size(grid%index, 1), b => size(grid%index, 2))
      allocate (grid%cells(a, b), grid%depth(a, b), grid%basin(a, b))
    end associate
    grid%depth = 0
    grid%basin = 0
    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) > 0) call place_cell(options, rows, grid, i, j)
      end do
    end do
  end subroutine place_cells

  subroutine place_cell(options, rows, grid, i, j)
    type(model_options), intent(in) :: options
    type(gaussian_rows), intent(in) :: rows
    type(model_grid), intent(inout) :: grid
    integer, intent(in) :: i, j

    associate (point => grid%index(i, j), cell => grid%cells(i, j))
      select case (grid%kind)
      case (gaussian); cell = gaussian_cell(rows, point)
      case (icosahedral); cell = icosahedral_cell(options%size, point)
      case (tripolar)
        cell = tripolar_cell(grid%nx, modulo(point - 1, grid%nx) + 1, (point - 1) / grid%nx + 1)
        grid%depth(i, j) = depth_at(cell%latitude, cell%longitude)
        grid%basin(i, j) = basin_at(cell%latitude, cell%longitude)
      end select
    end associate
  end subroutine place_cell

  !> An array for a field with levels. What is not computed, such as a halo, holds numbers that would show.
  subroutine new_volume(grid, volume)
    type(model_grid), intent(in) :: grid
    real(dp), allocatable, intent(out) :: volume(:, :, :)

    associate (a => size(grid%index, 1), b => size(grid%index, 2))
      select case (grid%kind)
      case (gaussian); allocate (volume(a, grid%levels, b))
      case (tripolar); allocate (volume(a, b, grid%levels))
      case (icosahedral); allocate (volume(grid%levels, a, b))
      end select
    end associate
    volume = huge(1.0_dp)
  end subroutine new_volume

  !> Puts a column into such an array.
  subroutine set_column(grid, i, j, column, volume)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    real(dp), intent(in) :: column(:)
    real(dp), intent(inout) :: volume(:, :, :)

    select case (grid%kind)
    case (gaussian); volume(i, :, j) = column
    case (tripolar); volume(i, j, :) = column
    case (icosahedral); volume(:, i, j) = column
    end select
  end subroutine set_column
end module globe_grid
