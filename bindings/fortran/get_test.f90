!> What module pileus makes of the arguments of pileus_input and pileus_get.
module get_test
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use pileus
  use recorded_calls
  implicit none
  private

  public :: inputs_pass_their_shapes, get_fills_any_array

contains

  subroutine inputs_pass_their_shapes()
    integer(c_int) :: input, status

    input = pileus_input(run, "w", ["y", "z"], start=[3, 1], count=[2, 4], type=pileus_float, units="m s-1")
    call expect(input >= 0 .and. field%rank == 2 .and. field%type == pileus_float, "kind of an input")
    call expect(all(field%start(:2) == [2, 0]) .and. all(field%count(:2) == [2, 4]), "part of an input")
    input = pileus_input(run, "flux")
    call expect(field%rank == 0 .and. field%type == pileus_double, "an input of one number")
    input = pileus_input(run, "w", "y, z", [3_int64, 1_int64], [2_int64, 4_int64])
    call expect(field%rank == 2 .and. field%start(1) == 2, "listed dimensions, 64 bits")
    input = pileus_input(run, "w", ["y", "z"], count=[2], status=status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "pileus_input") > 0, &
      "too few counts")
    call expect(pileus_is_brought(run, 1) .and. .not. pileus_is_brought(run, 2), "whether it is brought")
    call fail_next(pileus_error_usage)
    call expect(.not. pileus_is_brought(run, 2, status) .and. status == pileus_error_usage, "a failure")
  end subroutine inputs_pass_their_shapes

  subroutine get_fills_any_array()
    real(real64) :: halo(0:4, 3), number
    real(real32) :: single(2, 2)
    integer(int32) :: counts(3)
    integer(int64), allocatable :: large(:)
    logical :: mask(2)
    integer(c_int) :: status

    halo = -1
    call pileus_get(run, 7, 0.5_real64, halo(1:3, 2:3))
    call expect(put%field == 7 .and. put%rank == 2 .and. all(put%extents(:2) == [3, 2]), "a slice")
    call expect(all(halo(1:3, 2) == [0.5, 1.5, 2.5]) .and. all(halo(1:3, 3) == [3.5, 4.5, 5.5]), "its values")
    call expect(all(halo(0, :) == -1) .and. all(halo(4, :) == -1) .and. all(halo(:, 1) == -1), "its halo")
    call pileus_get(run, 7, 10.0_real64, number)
    call expect(number == 10 .and. put%rank == 0, "a number")
    call pileus_get(run, 7, 1.0_real64, single(2:1:-1, :))
    call expect(all(single == reshape([2.0, 1.0, 4.0, 3.0], [2, 2])), "backwards")
    call pileus_get(run, 7, 2.0_real64, counts, status)
    call expect(status == pileus_ok .and. all(counts == [2, 3, 4]), "int32")
    allocate (large(2))
    call pileus_get(run, 7, 3.0_real64, large)
    call expect(all(large == [3, 4]), "int64")
    deallocate (large)
    call pileus_get(run, 7, 3.0_real64, large, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "not allocated")
    call pileus_get(run, 7, 3.0_real64, mask, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "neither of reals") > 0, &
      "logical")
    call fail_next(pileus_error_output)
    call pileus_get(run, 7, 3.0_real64, number, status)
    call expect(status == pileus_error_output, "a failure")
  end subroutine get_fills_any_array

end module get_test
