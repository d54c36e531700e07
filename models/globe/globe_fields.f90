!> The fields that the model offers, by name, and their values at a time. Each value is computed from its
!> point, its level and the time alone, always by the same operations in the same order.
module globe_fields
  use globe_constants, only: degree, dp, nothing, tripolar
  use globe_flow, only: origin, place, tracer_at_start, wind
  use globe_grid, only: model_grid, set_column
  use globe_physics, only: atmosphere, level_set, ocean, pressure_at_surface, temperature_of_air, &
    temperature_of_sea
  use globe_surface, only: surface_state, surface_temperature
  implicit none
  private
  public :: offered_field, offered_fields, fill_volume, fill_surface

  type :: offered_field
    character(5) :: name
    character(5) :: units
    logical :: has_levels
  end type offered_field

  type(offered_field), parameter :: &
    fields_of_air(*) = [ &
      offered_field("q", "1", .true.), offered_field("t", "K", .true.), offered_field("p", "Pa", .true.), &
      offered_field("u", "m s-1", .true.), offered_field("v", "m s-1", .true.), &
      offered_field("ps", "Pa", .false.)], &
    fields_of_sea(*) = [ &
      offered_field("q", "1", .true.), offered_field("t", "degC", .true.), &
      offered_field("u", "m s-1", .true.), offered_field("v", "m s-1", .true.)], &
    of_coupled_air(*) = [ &
      offered_field("t_low", "K", .false.), offered_field("flux", "W m-2", .false.), &
      offered_field("sst", "degC", .false.)], &
    of_coupled_sea(*) = [ &
      offered_field("sst", "degC", .false.), offered_field("flux", "W m-2", .false.)]

contains

  pure function offered_fields(is_ocean, is_coupled) result(fields)
    logical, intent(in) :: is_ocean, is_coupled
    type(offered_field), allocatable :: fields(:)

    if (is_ocean) then
      fields = fields_of_sea
      if (is_coupled) fields = [fields, of_coupled_sea]
    else
      fields = fields_of_air
      if (is_coupled) fields = [fields, of_coupled_air]
    end if
  end function offered_fields

  subroutine fill_volume(grid, levels, time, name, surface, volume)
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    character(*), intent(in) :: name
    type(surface_state), intent(in) :: surface
    real(dp), intent(inout) :: volume(:, :, :)
    real(dp) :: column(grid%levels)
    integer :: i, j

    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) == 0) cycle
        if (grid%kind == tripolar) then
          column = column_of_sea(grid, i, j, levels, time, name)
          if (name == "t" .and. grid%depth(i, j) > 0) column(1) = column(1) + surface%warmth(i, j)
        else
          column = column_of_air(grid, i, j, levels, time, name)
          if (name == "t") column(grid%levels) = column(grid%levels) + surface%warmth(i, j)
        end if
        call set_column(grid, i, j, column, volume)
      end do
    end do
  end subroutine fill_volume

  !> A field without levels.
  subroutine fill_surface(grid, levels, time, name, surface, values)
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    character(*), intent(in) :: name
    type(surface_state), intent(in) :: surface
    real(dp), intent(inout) :: values(:, :)
    integer :: i, j

    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) == 0) cycle
        select case (name)
        case ("ps"); values(i, j) = pressure_at_surface(place_of(grid, i, j, 0.0_dp), time)
        case ("t_low"); values(i, j) = surface_temperature(grid, i, j, levels, time, surface)
        case ("flux"); values(i, j) = surface%flux(i, j)
        case ("sst")
          if (grid%kind /= tripolar) then
            values(i, j) = surface%sst(i, j)
          else if (grid%depth(i, j) > 0) then
            values(i, j) = surface_temperature(grid, i, j, levels, time, surface)
          end if
        end select
      end do
    end do
    ! Where the air has no sea below it there is neither.
    if (grid%kind /= tripolar .and. (name == "flux" .or. name == "sst")) then
      where (surface%sea_area <= 0) values = nothing
    end if
  end subroutine fill_surface

  pure type(place) function place_of(grid, i, j, s)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    real(dp), intent(in) :: s

    place_of = place(degree * grid%cells(i, j)%longitude, sin(degree * grid%cells(i, j)%latitude), s)
  end function place_of

  function column_of_air(grid, i, j, levels, time, name) result(column)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    character(*), intent(in) :: name
    real(dp) :: column(grid%levels), at_surface, pressure, u, v
    type(place) :: here
    integer :: k

    here = place_of(grid, i, j, 0.0_dp)
    at_surface = pressure_at_surface(here, time)
    do k = 1, grid%levels
      here%s = levels%s(k)
      pressure = levels%a(k) + levels%b(k) * at_surface
      call wind(atmosphere, here, u, v)
      select case (name)
      case ("p"); column(k) = pressure
      case ("q"); column(k) = tracer_at_start(atmosphere, origin(atmosphere, here, time))
      case ("t"); column(k) = temperature_of_air(here, pressure, at_surface, time)
      case ("u"); column(k) = u
      case ("v"); column(k) = v
      end select
    end do
  end function column_of_air

  !> There is nothing below the sea floor.
  function column_of_sea(grid, i, j, levels, time, name) result(column)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    character(*), intent(in) :: name
    real(dp) :: column(grid%levels), u, v
    type(place) :: here
    integer :: k

    column = nothing
    do k = 1, grid%levels
      if (levels%depth(k) > grid%depth(i, j)) exit
      here = place_of(grid, i, j, levels%s(k))
      call wind(ocean, here, u, v)
      select case (name)
      case ("q"); column(k) = tracer_at_start(ocean, origin(ocean, here, time))
      case ("t"); column(k) = temperature_of_sea(here, levels%depth(k), time)
      case ("u"); column(k) = u
      case ("v"); column(k) = v
      end select
    end do
  end function column_of_sea
end module globe_fields
