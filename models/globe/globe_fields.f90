!> The fields that the model offers, by name, and their values at a time. Each value is computed from its
!> point, its level and the time alone, always by the same operations in the same order.
module globe_fields
  use globe_constants, only: degree, dp, nothing, tripolar
  use globe_flow, only: origin, place, tracer_at_start, wind
  use globe_grid, only: model_grid, set_column
  use globe_physics, only: atmosphere, level_set, ocean, pressure_at_surface, temperature_of_air, &
    temperature_of_sea
  implicit none
  private
  public :: offered_field, fields_of_air, fields_of_sea, fill_volume, fill_surface

  type :: offered_field
    character(2) :: name
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
      offered_field("u", "m s-1", .true.), offered_field("v", "m s-1", .true.)]

contains

  subroutine fill_volume(grid, levels, time, name, volume)
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    character(*), intent(in) :: name
    real(dp), intent(inout) :: volume(:, :, :)
    integer :: i, j

    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) == 0) cycle
        if (grid%kind == tripolar) then
          call set_column(grid, i, j, column_of_sea(grid, i, j, levels, time, name), volume)
        else
          call set_column(grid, i, j, column_of_air(grid, i, j, levels, time, name), volume)
        end if
      end do
    end do
  end subroutine fill_volume

  !> The pressure at the surface, Pa, the only field without levels.
  subroutine fill_surface(grid, time, surface)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in) :: time
    real(dp), intent(inout) :: surface(:, :)
    integer :: i, j

    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) > 0) surface(i, j) = pressure_at_surface(place_of(grid, i, j, 0.0_dp), time)
      end do
    end do
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
