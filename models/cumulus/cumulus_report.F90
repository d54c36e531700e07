!> Prints a report about the run, on rank 0.
module cumulus_report
  use, intrinsic :: iso_fortran_env, only: output_unit
  use mpi_f08, only: MPI_Allreduce, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_MIN, MPI_SUM
  use cumulus_constants, only: dp, sound_speed
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  implicit none
  private
  public :: run_report, start_report, print_progress, note_step, print_summary

  type :: run_report
    real(dp) :: water_at_start = 0                  !< kg m-2
    real(dp) :: shortest_dt = huge(1.0_dp), longest_dt = 0  !< s
    real(dp) :: largest_w = 0                       !< m s-1
    real(dp) :: first_cloud = -1                    !< model time of the first cloud water, s
    integer :: steps = 0, small_steps = 0
  end type run_report

contains

  subroutine start_report(grid, base, state, report)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    type(run_report), intent(out) :: report

    report%water_at_start = mean_water(grid, base, state)
  end subroutine start_report

  !> Adds a step to the report. `largest`: the maxima at the beginning of the step.
  subroutine note_step(state, largest, small_steps, report)
    type(model_state), intent(in) :: state
    type(maxima), intent(in) :: largest
    integer, intent(in) :: small_steps
    type(run_report), intent(inout) :: report

    report%steps = report%steps + 1
    report%small_steps = report%small_steps + small_steps
    report%shortest_dt = min(report%shortest_dt, state%dt)
    report%longest_dt = max(report%longest_dt, state%dt)
    report%largest_w = max(report%largest_w, largest%w)
    if (report%first_cloud < 0 .and. largest%ql > 1.0e-5_dp) report%first_cloud = state%time - state%dt
  end subroutine note_step

  subroutine print_progress(grid, state, largest)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    type(maxima), intent(in) :: largest

    if (grid%rank > 0) return
    write (output_unit, "(a,i6,a,f9.2,a,f6.3,a,f6.2,a,f6.3,a)") "step", state%step, "  time", state%time, &
      " s  dt", state%dt, " s  max|w|", largest%w, " m/s  max ql", 1000 * largest%ql, " g/kg"
    flush (output_unit)
  end subroutine print_progress

  !> Prints the summary. All ranks call it, because of the sums over the domain.
  subroutine print_summary(grid, base, state, report, wall_time)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    type(run_report), intent(in) :: report
    real(dp), intent(in) :: wall_time
    real(dp) :: water, warmest, coldest, cloud_base, cloud_top

    water = mean_water(grid, base, state)
    call find_extremes(grid, base, state, coldest, warmest, cloud_base, cloud_top)
    if (grid%rank > 0 .or. report%steps == 0) return
    write (output_unit, "(i0,a,f0.3,a,f0.3,a,i0,a,f0.4,a)") report%steps, " steps of ", report%shortest_dt, &
      " to ", report%longest_dt, " s with ", report%small_steps, " small steps, wall time ", wall_time, " s"
    write (output_unit, "(a,f0.2,a,f5.2,a,f5.2,a)") "strongest updraught or downdraught ", report%largest_w, &
      " m/s; departure of potential temperature ", coldest, &
      " to ", warmest, " K"
    if (report%first_cloud >= 0) write (output_unit, "(a,f0.1,a)") "first cloud water at ", &
      report%first_cloud, " s"
    if (cloud_top > 0) write (output_unit, "(a,i0,a,i0,a)") "clouds from ", nint(cloud_base), " to ", &
      nint(cloud_top), " m"
    write (output_unit, "(a,f0.4,a,es9.1)") "water ", water, " kg/m2, relative change ", &
      water / report%water_at_start - 1
  end subroutine print_summary

  !> Vapour and cloud water in a mean column, kg m-2.
  function mean_water(grid, base, state) result(water)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    real(dp) :: water, own
    integer :: i, j

    own = 0
    do i = 1, grid%nx
      do j = 1, grid%ny
        own = own + grid%dz * sum((base%rho + state%p(:, j, i) / sound_speed**2) &
                                  * (state%qv(:, j, i) + state%ql(:, j, i)))
      end do
    end do
    call MPI_Allreduce(own, water, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid%comm)
    water = water / (real(grid%nx_global, dp) * grid%ny_global)
  end function mean_water

  !> The range of the departure of potential temperature (K), and of the heights of clouds (m).
  subroutine find_extremes(grid, base, state, coldest, warmest, cloud_base, cloud_top)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    real(dp), intent(out) :: coldest, warmest, cloud_base, cloud_top
    real(dp) :: lowest(2), highest(2), lowest_of_all(2), highest_of_all(2)
    integer :: k

    associate (nx => grid%nx, ny => grid%ny)
      lowest = [minval(state%theta(:, 1:ny, 1:nx)), huge(1.0_dp)]
      highest = [maxval(state%theta(:, 1:ny, 1:nx)), 0.0_dp]
      do k = 1, grid%nz
        if (all(state%ql(k, 1:ny, 1:nx) <= 1.0e-5_dp)) cycle
        lowest(2) = min(lowest(2), base%z(k))
        highest(2) = base%z(k)
      end do
    end associate
    call MPI_Allreduce(lowest, lowest_of_all, 2, MPI_DOUBLE_PRECISION, MPI_MIN, grid%comm)
    call MPI_Allreduce(highest, highest_of_all, 2, MPI_DOUBLE_PRECISION, MPI_MAX, grid%comm)
    coldest = lowest_of_all(1)
    cloud_base = lowest_of_all(2)
    warmest = highest_of_all(1)
    cloud_top = highest_of_all(2)
  end subroutine find_extremes
end module cumulus_report
