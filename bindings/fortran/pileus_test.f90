!> Tests what module pileus makes of Fortran's arguments. It links recording_pileus.c, a library that writes
!> them down.
program pileus_test
  use recorded_calls, only: failures, find_records
  use run_test
  use put_test
  use get_test
  implicit none

  call find_records()
  call start_passes_settings()
  call options_become_texts()
  call dimensions_and_fields_pass_their_shapes()
  call points_pass_their_indices()
  call wants_come_as_objects()
  call serve_passes_its_communicator()
  call begin_passes_step_and_flags()
  call runs_continue_from_checkpoints()
  call put_takes_any_array()
  call put_takes_any_type()
  call put_takes_texts()
  call put_takes_maps()
  call put_takes_components()
  call put_takes_up_to_six_dimensions()
  call put_takes_what_procedures_get()
  call put_names_what_it_cannot_take()
  call stable_arrays_are_pointers_and_targets()
  call inputs_pass_their_shapes()
  call get_fills_any_array()
  call local_sums_know_the_shape()
  call errors_come_with_a_text()
  if (failures > 0) error stop "pileus_test failed"
end program pileus_test
