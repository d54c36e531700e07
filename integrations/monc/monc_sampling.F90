!> Tells the newer fork of MONC when the configuration takes samples: its time steps are chosen so that
!> samples and outputs come at whole seconds. This is empty for the older fork, whose steps do not ask.
!>
!> There are three ways. By default a definition is sampled every so many steps. With force_output_on_interval
!> it is too, and steps are made to end at outputs. With time_basis frequencies are seconds of model time, and
!> the model makes a step end at each.
module monc_sampling_mod
#ifdef MONC_EPCC
  use datadefn_mod, only: DEFAULT_PRECISION
  use state_mod, only: model_state_type
  use logging_mod, only: LOG_ERROR, LOG_WARN, log_master_log
  use optionsdatabase_mod, only: options_get_integer, options_get_logical, options_get_real
  use registry_mod, only: is_component_enabled
  use pileus, only: pileus_definition, pileus_wanted_field
  implicit none
  private

  public :: read_timing, set_up_sampling, advance_sampling, interval_of

  real(DEFAULT_PRECISION) :: shortest_step = 0  !< that MONC may choose, in seconds

contains

  subroutine read_timing(state)
    type(model_state_type), intent(inout) :: state

    state%only_compute_on_sample_timestep = &
      options_get_logical(state%options_database, "only_compute_on_sample_timestep")
    state%force_output_on_interval = options_get_logical(state%options_database, "force_output_on_interval")
    state%time_basis = options_get_logical(state%options_database, "time_basis")
    if (state%force_output_on_interval .and. state%time_basis) &
      call log_master_log(LOG_WARN, "time_basis and force_output_on_interval are both true: the first counts")
    if (state%time_basis .or. state%force_output_on_interval) &
      shortest_step = options_get_real(state%options_database, "cfl_dtmmin")
  end subroutine read_timing

  !> One entry for each frequency of a definition that files need something of, with their frequencies of
  !> output; and one for the radiation, where it is computed at times.
  subroutine set_up_sampling(state, definitions, fields)
    type(model_state_type), intent(inout) :: state
    type(pileus_definition), intent(in) :: definitions(:)
    type(pileus_wanted_field), intent(in) :: fields(:)
    integer, allocatable :: intervals(:), outputs(:)
    integer :: d, f, radiation

    intervals = [integer ::]
    do d = 1, size(definitions)
      if (outputs_every(interval_of(definitions(d)), definitions, fields, outputs) .and. &
        all(intervals /= interval_of(definitions(d)))) intervals = [intervals, interval_of(definitions(d))]
    end do
    radiation = radiation_interval(state)
    allocate (state%sampling(size(intervals) + merge(1, 0, radiation > 0)))
    do f = 1, size(intervals)
      state%sampling(f)%interval = intervals(f)
      if (outputs_every(intervals(f), definitions, fields, outputs)) state%sampling(f)%output = outputs
    end do
    if (radiation > 0) then
      associate (last => state%sampling(size(state%sampling)))
        last%radiation = .true.
        last%interval = radiation
        last%output = [-9999]
      end associate
    end if
    if (size(state%sampling) == 0) return
    call check_intervals(state)
    call set_first_times(state)
  end subroutine set_up_sampling

  !> In seconds with time_basis, otherwise in steps.
  integer function interval_of(definition)
    type(pileus_definition), intent(in) :: definition

    interval_of = int(definition%frequency)
    if (definition%frequency_s > 0) interval_of = nint(definition%frequency_s)
  end function interval_of

  !> Whether files need anything that is sampled with this frequency, and which frequencies of output in
  !> seconds they have.
  logical function outputs_every(frequency, definitions, fields, outputs)
    integer, intent(in) :: frequency
    type(pileus_definition), intent(in) :: definitions(:)
    type(pileus_wanted_field), intent(in) :: fields(:)
    integer, allocatable, intent(out) :: outputs(:)
    integer :: f, o

    outputs = [integer ::]
    outputs_every = .false.
    if (frequency < 1) return
    do f = 1, size(fields)
      if (interval_of(definitions(fields(f)%definition)) /= frequency) cycle
      do o = 1, size(fields(f)%output_s)
        outputs_every = .true.
        if (nint(fields(f)%output_s(o)) > 0 .and. all(outputs /= nint(fields(f)%output_s(o)))) &
          outputs = [outputs, nint(fields(f)%output_s(o))]
      end do
    end do
  end function outputs_every

  integer function radiation_interval(state)
    type(model_state_type), intent(inout) :: state

    radiation_interval = 0
    if (state%time_basis .and. is_component_enabled(state%options_database, "socrates_couple")) &
      radiation_interval = options_get_integer(state%options_database, "rad_interval")
  end function radiation_interval

  subroutine check_intervals(state)
    type(model_state_type), intent(inout) :: state
    logical :: is_constant

    is_constant = options_get_logical(state%options_database, "l_constant_dtm")
    if (state%time_basis .or. state%force_output_on_interval) then
      if (any(mod(state%sampling%interval, minval(state%sampling%interval)) /= 0)) call log_master_log( &
        LOG_ERROR, "with time_basis or force_output_on_interval all frequencies of definitions have to " // &
        "be multiples of the smallest one")
    end if
    if (.not. is_constant) return
    if (state%time_basis) then
      if (any(modulo(real(state%sampling%interval), real(state%dtm)) > 0)) call log_master_log(LOG_ERROR, &
        "with l_constant_dtm and time_basis the frequencies of definitions have to be multiples of dtm")
    else if (state%force_output_on_interval) then
      call log_master_log(LOG_ERROR, "l_constant_dtm and force_output_on_interval exclude each other")
    end if
  end subroutine check_intervals

  subroutine set_first_times(state)
    type(model_state_type), intent(inout) :: state
    integer :: i, next_time

    if (state%time_basis) then
      do i = 1, size(state%sampling)
        state%sampling(i)%next_time = next_multiple(state, state%sampling(i)%interval)
      end do
    else if (state%force_output_on_interval) then
      do i = 1, size(state%sampling)
        state%sampling(i)%next_time = next_output(state, state%sampling(i)%output)
        state%sampling(i)%next_step = (state%timestep / state%sampling(i)%interval + 1) * &
          state%sampling(i)%interval
      end do
    end if
    if (.not. state%time_basis) return
    next_time = minval(state%sampling%next_time)
    if (.not. state%normal_step) then
      ! The run before was on its way to a sample.
      where (state%sampling%next_time == next_time) state%sampling%next_step = &
        state%timestep + nint((next_time - state%time) / state%dtm_new) - 1
    else if (state%reconfig_run .and. next_time < state%time + state%dtm) then
      ! The run before knew of no such sample, and the next step would go beyond it.
      state%dtm = next_time - state%time
      state%normal_step = .false.
      where (state%sampling%next_time == next_time) state%sampling%next_step = state%timestep
    end if
  end subroutine set_first_times

  integer function next_multiple(state, interval)
    type(model_state_type), intent(in) :: state
    integer, intent(in) :: interval

    next_multiple = (int(state%time + shortest_step) / interval + 1) * interval
  end function next_multiple

  !> Where nothing is put out at times, no step is made to end at one.
  integer function next_output(state, outputs)
    type(model_state_type), intent(in) :: state
    integer, intent(in) :: outputs(:)
    integer :: i

    next_output = huge(next_output)
    do i = 1, size(outputs)
      next_output = min(next_output, next_multiple(state, outputs(i)))
    end do
  end function next_output

  !> Moves on to the next samples after a step was handed over, and frees the length of the step again.
  subroutine advance_sampling(state)
    type(model_state_type), intent(inout) :: state
    integer :: i

    if (state%time_basis) then
      if (any(state%sampling%active) .or. state%radiation_timestep) call end_at_whole_second(state)
      where (state%sampling%active .or. (state%radiation_timestep .and. state%sampling%radiation))
        state%sampling%next_time = state%sampling%next_time + state%sampling%interval
      end where
    else if (state%force_output_on_interval) then
      do i = 1, size(state%sampling)
        if (state%timestep /= state%sampling(i)%next_step) cycle
        if (abs(state%time + state%dtm - state%sampling(i)%next_time) < shortest_step / 10) then
          call end_at_whole_second(state)
          state%sampling(i)%next_time = output_after(nint(state%time + state%dtm), state%sampling(i)%output)
        end if
        state%sampling(i)%next_step = state%sampling(i)%next_step + state%sampling(i)%interval
      end do
    end if
  end subroutine advance_sampling

  integer function output_after(second, outputs)
    integer, intent(in) :: second, outputs(:)
    integer :: i

    output_after = huge(output_after)
    do i = 1, size(outputs)
      output_after = min(output_after, (second / outputs(i) + 1) * outputs(i))
    end do
  end function output_after

  !> Takes the rounding of a sum of many steps out of the time.
  subroutine end_at_whole_second(state)
    type(model_state_type), intent(inout) :: state

    state%normal_step = .true.
    state%time = real(nint(state%time + state%dtm), DEFAULT_PRECISION) - state%dtm
  end subroutine end_at_whole_second
#endif

end module monc_sampling_mod
