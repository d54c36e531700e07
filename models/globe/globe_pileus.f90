!> The model's side of Pileus: it says which points each rank holds, where they lie, and hands its arrays over
!> as they are. Errors end the run here, with the text of Pileus.
module globe_pileus
  use pileus
  use globe_constants, only: dp, gaussian, icosahedral, tripolar
  use globe_fields, only: fill_surface, fill_volume, offered_field, offered_fields
  use globe_grid, only: model_grid, new_volume
  use globe_physics, only: level_set
  use globe_surface, only: surface_state
  implicit none
  private
  public :: globe_link, register, hand_over

  !> The numbers that Pileus gave to the fields, and memory for one of them.
  type :: globe_link
    type(offered_field), allocatable :: offered(:)
    integer, allocatable :: fields(:)
    integer :: latitude, longitude, latitude_corners, longitude_corners, area, mask, basin, sea_floor
    integer :: a, b, sea_area, cell_nodes, node_latitude, node_longitude
    real(dp), allocatable :: volume(:, :, :), surface(:, :)
  end type globe_link

contains

  subroutine register(run, grid, levels, is_coupled, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    logical, intent(in) :: is_coupled
    type(globe_link), intent(out) :: link

    select case (grid%kind)
    case (gaussian)
      call pileus_dimension(run, "point", grid%points)
      call pileus_points(run, "columns", "point", grid%index)  ! (nproma, block)
    case (icosahedral)
      call pileus_dimension(run, "cell", grid%points)
      call pileus_points(run, "mesh", "cell", grid%index(:, 1))
      call pileus_dimension(run, "node", grid%nodes)
      call pileus_points(run, "nodes", "node", grid%node_index)
    case (tripolar)
      call pileus_dimension(run, "x", grid%nx)
      call pileus_dimension(run, "y", grid%ny)
      ! Latitudes and longitudes are known on land too; all else is handed over of the sea alone.
      call pileus_points(run, "everywhere", "x, y", grid%index)
      call pileus_points(run, "sea", "x, y", merge(grid%index, 0, grid%depth > 0))
    end select
    call pileus_dimension(run, "corner", grid%corners)
    call register_levels(run, grid, levels, link)
    call register_places(run, grid, is_coupled, link)
    call register_fields(run, grid, is_coupled, link)
  end subroutine register

  subroutine register_levels(run, grid, levels, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    type(globe_link), intent(inout) :: link

    if (grid%kind == tripolar) then
      call pileus_dimension(run, "depth", grid%levels, levels%depth, "m")
      call pileus_dimension_bounds(run, "depth", levels%border)
      return
    end if
    call pileus_dimension(run, "level", grid%levels, (levels%s + 1) / 2, "1")  ! a / p0 + b
    link%a = pileus_field(run, "a", "level", count=[grid%levels], units="Pa")
    link%b = pileus_field(run, "b", "level", count=[grid%levels], units="1")
    call pileus_static(run, link%a)
    call pileus_static(run, link%b)
  end subroutine register_levels

  !> What <grid> of the configuration names: each rank hands over its part, once.
  subroutine register_places(run, grid, is_coupled, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    logical, intent(in) :: is_coupled
    type(globe_link), intent(inout) :: link

    link%latitude = static("latitude", pileus_double)
    link%longitude = static("longitude", pileus_double)
    link%latitude_corners = static("latitude_corners", pileus_double, grid%corners)
    link%longitude_corners = static("longitude_corners", pileus_double, grid%corners)
    link%area = static("area", pileus_double)
    if (is_coupled .and. grid%kind == gaussian) link%sea_area = static("sea_area", pileus_double)
    if (grid%kind == icosahedral) then
      link%cell_nodes = static("cell_nodes", pileus_int32, grid%corners)
      link%node_latitude = of_nodes("node_latitude")
      link%node_longitude = of_nodes("node_longitude")
    end if
    if (grid%kind /= tripolar) return
    link%mask = static("mask", pileus_int32)
    link%basin = static("basin", pileus_int32)
    link%sea_floor = static("sea_floor", pileus_double)

  contains

    integer function static(name, type, corners)
      character(*), intent(in) :: name
      integer, intent(in) :: type
      integer, intent(in), optional :: corners
      character(:), allocatable :: points

      points = points_along(grid, "everywhere")
      if (present(corners)) then
        static = pileus_field(run, name, "corner, " // points, count=[corners, extents(grid)], type=type)
      else
        static = pileus_field(run, name, points, count=extents(grid), type=type)
      end if
      call pileus_static(run, static)
    end function static

    integer function of_nodes(name)
      character(*), intent(in) :: name

      of_nodes = pileus_field(run, name, "nodes", count=[size(grid%node_index)])
      call pileus_static(run, of_nodes)
    end function of_nodes
  end subroutine register_places

  !> The points' name, once for each extent that the rank's arrays have along them. `of_sea`: for an ocean.
  function points_along(grid, of_sea) result(names)
    type(model_grid), intent(in) :: grid
    character(*), intent(in) :: of_sea
    character(:), allocatable :: names

    select case (grid%kind)
    case (gaussian); names = "columns, columns"
    case (icosahedral); names = "mesh"
    case (tripolar); names = of_sea // ", " // of_sea
    end select
  end function points_along

  function extents(grid)
    type(model_grid), intent(in) :: grid
    integer, allocatable :: extents(:)

    extents = shape(grid%index)
    if (grid%kind == icosahedral) extents = extents(:1)
  end function extents

  subroutine register_fields(run, grid, is_coupled, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    logical, intent(in) :: is_coupled
    type(globe_link), intent(inout) :: link
    character(:), allocatable :: volume
    integer :: f

    call new_volume(grid, link%volume)
    allocate (link%surface(size(grid%index, 1), size(grid%index, 2)), source=0.0_dp)
    volume = ""
    select case (grid%kind)
    case (gaussian); volume = "columns, level, columns"
    case (icosahedral); volume = "level, mesh"
    case (tripolar); volume = "sea, sea, depth"
    end select
    link%offered = offered_fields(grid%kind == tripolar, is_coupled)
    allocate (link%fields(size(link%offered)))
    do f = 1, size(link%offered)
      if (.not. link%offered(f)%has_levels) then
        link%fields(f) = number_of(points_along(grid, "sea"), extents(grid))
      else if (grid%kind == icosahedral) then
        link%fields(f) = number_of(volume, shape(link%volume(:, :, 1)))
      else
        link%fields(f) = number_of(volume, shape(link%volume))
      end if
    end do

  contains

    integer function number_of(dimensions, counts)
      character(*), intent(in) :: dimensions
      integer, intent(in) :: counts(:)

      number_of = pileus_field(run, trim(link%offered(f)%name), dimensions, count=counts, &
        units=trim(link%offered(f)%units))
    end function number_of
  end subroutine register_fields

  !> Hands over what is wanted in this step, between pileus_begin and pileus_end. Nothing else is computed.
  subroutine hand_over(run, grid, levels, time, surface, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    type(surface_state), intent(in) :: surface
    type(globe_link), intent(inout) :: link
    integer :: f

    call hand_over_places(run, grid, levels, surface, link)
    do f = 1, size(link%offered)
      if (.not. pileus_wanted(run, link%fields(f))) cycle
      if (.not. link%offered(f)%has_levels) then
        call fill_surface(grid, levels, time, trim(link%offered(f)%name), surface, link%surface)
        call put_surface(run, grid, link%fields(f), link%surface)
        cycle
      end if
      call fill_volume(grid, levels, time, trim(link%offered(f)%name), surface, link%volume)
      if (grid%kind == icosahedral) then
        call pileus_put(run, link%fields(f), link%volume(:, :, 1))
      else
        call pileus_put(run, link%fields(f), link%volume)
      end if
    end do
  end subroutine hand_over

  !> Static fields are wanted in the first step alone.
  subroutine hand_over_places(run, grid, levels, surface, link)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    type(surface_state), intent(in) :: surface
    type(globe_link), intent(in) :: link
    integer :: n

    if (pileus_wanted(run, link%latitude)) call put_surface(run, grid, link%latitude, grid%cells%latitude)
    if (pileus_wanted(run, link%longitude)) call put_surface(run, grid, link%longitude, grid%cells%longitude)
    if (pileus_wanted(run, link%area)) call put_surface(run, grid, link%area, grid%cells%area)
    if (pileus_wanted(run, link%latitude_corners)) then
      call put_corners(link%latitude_corners, [(grid%cells%corner_latitudes(n), n = 1, grid%corners)])
    end if
    if (pileus_wanted(run, link%longitude_corners)) then
      call put_corners(link%longitude_corners, [(grid%cells%corner_longitudes(n), n = 1, grid%corners)])
    end if
    if (grid%kind == tripolar) then
      if (pileus_wanted(run, link%mask)) call pileus_put(run, link%mask, merge(1, 0, grid%depth > 0))
      if (pileus_wanted(run, link%basin)) call pileus_put(run, link%basin, grid%basin)
      if (pileus_wanted(run, link%sea_floor)) call pileus_put(run, link%sea_floor, grid%depth)
    else
      if (pileus_wanted(run, link%a)) call pileus_put(run, link%a, levels%a)
      if (pileus_wanted(run, link%b)) call pileus_put(run, link%b, levels%b)
      if (surface%is_coupled) then
        if (pileus_wanted(run, link%sea_area)) call put_surface(run, grid, link%sea_area, surface%sea_area)
      end if
    end if
    if (grid%kind == icosahedral) call put_mesh()

  contains

    subroutine put_mesh()
      if (pileus_wanted(run, link%cell_nodes)) call pileus_put(run, link%cell_nodes, grid%cell_nodes)
      if (pileus_wanted(run, link%node_latitude)) call pileus_put(run, link%node_latitude, grid%node_latitude)
      if (pileus_wanted(run, link%node_longitude)) then
        call pileus_put(run, link%node_longitude, grid%node_longitude)
      end if
    end subroutine put_mesh

    !> `values`: of the first corner of all cells, then of the second, and so on.
    subroutine put_corners(field, values)
      integer, intent(in) :: field
      real(dp), intent(in) :: values(:)
      real(dp), allocatable :: corners(:, :, :)

      allocate (corners(grid%corners, size(grid%index, 1), size(grid%index, 2)))
      corners = reshape(values, shape(corners), order=[2, 3, 1])
      if (grid%kind == icosahedral) then
        call pileus_put(run, field, corners(:, :, 1))
      else
        call pileus_put(run, field, corners)
      end if
    end subroutine put_corners
  end subroutine hand_over_places

  subroutine put_surface(run, grid, field, values)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: field
    real(dp), intent(in) :: values(:, :)

    if (grid%kind == icosahedral) then
      call pileus_put(run, field, values(:, 1))
    else
      call pileus_put(run, field, values)
    end if
  end subroutine put_surface
end module globe_pileus
