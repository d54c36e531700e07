!> What air and sea do to each other where they meet, in a coupled run. By this alone the model has a state
!> beside the number of the step: how much the lowest level of the air, and the uppermost one of the sea,
!> are warmer than the given temperatures of globe_physics.
module globe_surface
  use globe_constants, only: day, degree, dp, gravity, surface_pressure, tripolar
  use globe_flow, only: place
  use globe_grid, only: model_grid
  use globe_physics, only: level_set, pressure_at_surface, temperature_of_air, temperature_of_sea
  implicit none
  private
  public :: surface_state, new_surface, step_surface, surface_temperature

  real(dp), parameter :: &
    exchange_rate = 20, &              !< of heat, W m-2 K-1
    heat_of_air = 1004.64_dp, &        !< J kg-1 K-1
    heat_of_sea = 1025 * 3990.0_dp, &  !< J m-3 K-1
    kelvin = 273.15_dp, &              !< K, of 0 degC
    relaxation = 5 * day               !< s, in which the air goes back to its given temperature

  !> Each is over the places of the rank's arrays, as `index` of the grid. Fluxes are from the sea to the air,
  !> and over the sea alone.
  type :: surface_state
    logical :: is_coupled = .false.
    real(dp), allocatable :: warmth(:, :)    !< K, see above
    real(dp), allocatable :: flux(:, :)      !< W m-2; of the sea: the mean of the air's last interval
    real(dp), allocatable :: heat(:, :)      !< J m-2, of the air: since the last exchange
    real(dp), allocatable :: sst(:, :)       !< degC, of the air: the mean of the sea in each of its cells
    real(dp), allocatable :: sea_area(:, :)  !< m2, of the air: of the cells of the sea in each of its own
  end type surface_state

contains

  subroutine new_surface(grid, is_coupled, surface)
    type(model_grid), intent(in) :: grid
    logical, intent(in) :: is_coupled
    type(surface_state), intent(out) :: surface

    surface%is_coupled = is_coupled
    associate (a => size(grid%index, 1), b => size(grid%index, 2))
      allocate (surface%warmth(a, b), surface%flux(a, b), surface%heat(a, b), surface%sst(a, b), &
        surface%sea_area(a, b), source=0.0_dp)
    end associate
  end subroutine new_surface

  !> One step of the state, from a time on, by as many seconds.
  subroutine step_surface(grid, levels, time, length, surface)
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time, length
    type(surface_state), intent(inout) :: surface
    integer :: i, j

    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) == 0) cycle
        if (grid%kind /= tripolar) then
          call step_air(grid, i, j, levels, time, length, surface)
        else if (grid%depth(i, j) > 0) then
          surface%warmth(i, j) = surface%warmth(i, j) - &
            length * surface%flux(i, j) / (heat_of_sea * levels%border(2, 1))
        end if
      end do
    end do
  end subroutine step_surface

  subroutine step_air(grid, i, j, levels, time, length, surface)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time, length
    type(surface_state), intent(inout) :: surface
    real(dp) :: capacity, gained

    capacity = heat_of_air * surface_pressure / (gravity * grid%levels)  ! J m-2 K-1, of the lowest level
    gained = 0
    if (surface%sea_area(i, j) > 0) then
      surface%flux(i, j) = exchange_rate * &
        (surface%sst(i, j) + kelvin - surface_temperature(grid, i, j, levels, time, surface))
      surface%heat(i, j) = surface%heat(i, j) + length * surface%flux(i, j)
      gained = surface%flux(i, j) * surface%sea_area(i, j) / grid%cells(i, j)%area
    end if
    surface%warmth(i, j) = surface%warmth(i, j) + &
      length * (gained / capacity - surface%warmth(i, j) / relaxation)
  end subroutine step_air

  !> Of the lowest level of the air, K, or the uppermost one of the sea, degC.
  real(dp) function surface_temperature(grid, i, j, levels, time, surface) result(temperature)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    type(surface_state), intent(in) :: surface
    type(place) :: here
    real(dp) :: at_surface

    associate (cell => grid%cells(i, j))
      here = place(degree * cell%longitude, sin(degree * cell%latitude), 0.0_dp)
    end associate
    if (grid%kind == tripolar) then
      temperature = temperature_of_sea(here, levels%depth(1), time)
    else
      at_surface = pressure_at_surface(here, time)
      temperature = temperature_of_air(here, levels%a(grid%levels) + levels%b(grid%levels) * at_surface, &
        at_surface, time)
    end if
    temperature = temperature + surface%warmth(i, j)
  end function surface_temperature
end module globe_surface
