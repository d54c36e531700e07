!> Tests of pileus_put: what it makes of arrays, types, texts, maps and components.
module put_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use pileus
  use recorded_calls
  implicit none
  private
  public :: put_takes_any_array
  public :: put_takes_any_type
  public :: put_takes_texts
  public :: put_takes_maps
  public :: put_takes_components
  public :: put_takes_up_to_six_dimensions
  public :: put_takes_what_procedures_get
  public :: put_names_what_it_cannot_take
  public :: stable_arrays_are_pointers_and_targets

contains

  subroutine put_takes_any_array()
    real(real64) :: cube(-1:6, 0:5, 4)
    real(real64), allocatable :: grown(:, :)
    real(real64), pointer :: row(:)
    real(real64), target :: table(3, 5)
    integer :: i

    cube = reshape([(real(i, real64), i = 1, size(cube))], shape(cube))
    table = reshape([(real(i, real64), i = 1, size(table))], shape(table))
    grown = table * 2

    call pileus_put(run, 5, cube)
    call expect_doubles(reshape(cube, [size(cube)]), [8, 6, 4], "a whole array of rank 3")
    call pileus_put(run, 5, cube(1:4, 1:4, :))
    call expect_doubles(reshape(cube(1:4, 1:4, :), [64]), [4, 4, 4], "an array without its halo")
    call pileus_put(run, 5, cube(6:-1:-2, ::3, 2:3))
    call expect_doubles(reshape(cube(6:-1:-2, ::3, 2:3), [16]), [4, 2, 2], "steps, one of them negative")
    call pileus_put(run, 5, cube(2, 3, 4:1:-1))
    call expect_doubles(reshape(cube(2, 3, 4:1:-1), [4]), [4], "one column, from the top")
    call pileus_put(run, 5, cube(2, :, :))
    call expect_doubles(reshape(cube(2, :, :), [24]), [6, 4], "a plane across the fastest dimension")
    call pileus_put_part(run, 5, 3, cube(1:4, 5:0:-1, 3))
    call expect_doubles(reshape(cube(1:4, 5:0:-1, 3), [24]), [4, 6, 2], "a part, counted from 0 in C")
    call pileus_put(run, 5, grown)
    call expect_doubles(reshape(grown, [15]), [3, 5], "an allocatable array")
    row => table(2, 5:1:-2)
    call pileus_put(run, 5, row)
    call expect_doubles(table(2, 5:1:-2), [3], "a pointer to a section")
    call pileus_put(run, 5, table(:, 1) + 0.5_real64)
    call expect_doubles(table(:, 1) + 0.5_real64, [3], "an expression")
    call pileus_put(run, 5, pack(table(:, 1), table(:, 1) < 0))
    call expect_doubles([real(real64) ::], [0], "an empty expression")
    call pileus_put(run, 5, [1.0_real64, 2.0_real64])
    call expect_doubles([1.0_real64, 2.0_real64], [2], "a constructor")
    call pileus_put(run, 5, (table([3, 1], 2)))
    call expect_doubles(table([3, 1], 2), [2], "a section by a list of indices")
    call pileus_put(run, 5, 2.5_real64)
    call expect_doubles([2.5_real64], [integer ::], "a scalar constant")
    call pileus_put(run, 5, table(2, 2))
    call expect_doubles([table(2, 2)], [integer ::], "an element")
    call pileus_put(run, 5, table(:, 3:2))
    call expect_doubles([real(real64) ::], [3, 0], "an empty section")
  end subroutine put_takes_any_array

  subroutine put_takes_any_type()
    real(real32) :: single(4) = [1, 2, 3, 4]
    integer(int32) :: whole(3) = [7, 8, 9]
    integer(int64) :: long(2) = [2_int64**40, -1_int64]
    logical :: truth(2) = [.true., .false.]
    logical(c_bool) :: short(3) = [.true., .false., .false.]

    call pileus_put(run, 5, single(4:1:-3))
    call expect(put%type == pileus_float .and. all(transfer(put%bytes(:8), single(:2)) == [4, 1]), "real32")
    call pileus_put(run, 5, whole)
    call expect(put%type == pileus_int32 .and. all(transfer(put%bytes(:12), whole) == whole), "int32")
    call pileus_put(run, 5, long)
    call expect(put%type == pileus_int64 .and. all(transfer(put%bytes(:16), long) == long), "int64")
    call pileus_put(run, 5, truth)
    call expect(put%type == pileus_bool .and. all(ichar(put%bytes(:2)) == [1, 0]), "logical of 4 bytes")
    call pileus_put(run, 5, short(3:1:-1))
    call expect(put%type == pileus_bool .and. all(ichar(put%bytes(:3)) == [0, 0, 1]), "logical(c_bool)")
    call pileus_put(run, 5, .true.)
    call expect(put%rank == 0 .and. ichar(put%bytes(1)) == 1, "a single logical")
  end subroutine put_takes_any_type

  subroutine put_takes_texts()
    character(5) :: names(2, 2) = reshape(["Ulm  ", "Bern ", "Graz ", "Paris"], [2, 2])

    call pileus_put(run, 5, "Exeter")
    call expect_text("Exeter", [6], "a single text")
    call pileus_put(run, 5, names)
    call expect_text("Ulm  Bern Graz Paris", [5, 2, 2], "an array of texts")
    call pileus_put(run, 5, names(2, 2:1:-1))
    call expect_text("ParisBern ", [5, 2], "a section of texts")
    call pileus_put(run, 5, names(:, 1)(2:3))
    call expect_text("lmer", [2, 2], "parts of texts")
    call pileus_put(run, 5, trim(names(1, 1)) // "!")
    call expect_text("Ulm!", [4], "an expression")
  end subroutine put_takes_texts

  subroutine put_takes_maps()
    character(8) :: keys(2) = ["dt  ", "case"], values(2) = ["4       ", "dry cone"]
    integer(c_int) :: status

    call pileus_start(run, "run.xml")
    call pileus_put(run, 6, keys, values)
    call expect(pileus_error(run) == "case|dry cone" .and. put%field == 6 .and. put%extents(1) == 2, "a map")
    call pileus_put(run, 6, keys(2:1:-1), values(2:1:-1), status)
    call expect(pileus_error(run) == "dt|4" .and. status == pileus_ok, "a map from behind, with a status")
    call pileus_put(run, 6, keys(:0), values(:0))
    call expect(put%extents(1) == 0, "an empty map")
    call pileus_put(run, 6, keys, values(:1), status)
    call expect(status == pileus_error_usage .and. &
      pileus_error(run) == "pileus_put: the map has 2 keys and 1 values; give as many of both", &
      "a map with a value too few")
  end subroutine put_takes_maps

  subroutine put_takes_components()
    type :: cell
      real(real64) :: t
      logical :: is_wet
      character(3) :: name
      integer(int32) :: n
    end type cell
    type(cell) :: cells(3, 2)
    integer :: i, j

    do j = 1, 2
      do i = 1, 3
        cells(i, j) = cell(10 * j + i, i == j, "c" // achar(48 + i) // achar(48 + j), i * j)
      end do
    end do

    call pileus_put(run, 5, cells%t)
    call expect_doubles([11, 12, 13, 21, 22, 23] * 1.0_real64, [3, 2], "a component")
    call pileus_put(run, 5, cells(3:1:-2, 2)%t)
    call expect_doubles([23, 21] * 1.0_real64, [2], "a component of a section")
    call pileus_put(run, 5, cells%is_wet)
    call expect(all(ichar(put%bytes(:6)) == [1, 0, 0, 0, 1, 0]), "a logical component")
    call pileus_put(run, 5, cells(:, 2)%name)
    call expect_text("c12c22c32", [3, 3], "a component of texts")
    call pileus_put(run, 5, cells%n)
    call expect(put%type == pileus_int32 .and. put%extents(2) == 2, "an integer component")
  end subroutine put_takes_components

  subroutine put_takes_up_to_six_dimensions()
    real(real64) :: five(2, 1, 2, 1, 3), six(1, 2, 1, 2, 1, 2)
    integer :: i

    five = reshape([(real(i, real64), i = 1, 12)], shape(five))
    six = reshape([(real(i, real64), i = 1, 8)], shape(six))
    call pileus_put(run, 5, five(2:1:-1, :, :, :, ::2))
    call expect_doubles(reshape(five(2:1:-1, :, :, :, ::2), [8]), [2, 1, 2, 1, 2], "five dimensions")
    call pileus_put(run, 5, six)
    call expect_doubles(reshape(six, [8]), [1, 2, 1, 2, 1, 2], "six dimensions")
  end subroutine put_takes_up_to_six_dimensions

  subroutine stable_arrays_are_pointers_and_targets()
    real(real64), pointer :: given(:, :)
    real(real64), target :: table(2, 3)
    real(real32), allocatable, target :: single(:)
    integer(int64), pointer :: numbers(:)
    integer(c_int) :: status
    integer :: i

    nullify (given)
    call pileus_allocate(run, given, [3, 2])
    call expect(associated(given) .and. put%extents(1) == 48, "memory of its size")
    call expect(all(shape(given) == [3, 2]) .and. all(lbound(given) == 1), "and of its shape")
    call expect(all(given == 0) .and. is_contiguous(given), "all zero")
    given = reshape([(real(i, real64), i = 1, 6)], shape(given))
    given(0:, -1:) => given
    call pileus_put_stable(run, 5, given)
    call expect_doubles([(real(i, real64), i = 1, 6)], [3, 2], "a pointer")
    table = 2
    call pileus_put_stable(run, 5, table, status)
    call expect_doubles([(2.0_real64, i = 1, 6)], [2, 3], "a target")
    single = [1, 2]
    call pileus_put_stable(run, 5, single)
    call expect(put%type == pileus_float .and. all(transfer(put%bytes(:8), single) == [1, 2]), "real32")

    call pileus_deallocate(given)
    call expect(.not. associated(given), "nothing after its end")
    call pileus_deallocate(given)
    call pileus_put_stable(run, 5, given, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "a pointer to nothing")
    call pileus_allocate(run, given, [3], status)
    call expect(status == pileus_error_usage .and. .not. associated(given) .and. &
      index(pileus_error(run), "one extent, 0 or more, for each dimension") > 0, "too few extents")
    nullify (numbers)
    call pileus_allocate(run, numbers, [-1], status)
    call expect(status == pileus_error_usage, "a negative extent")
    call pileus_allocate(run, numbers, [4], status)
    call expect(status == pileus_ok .and. put%extents(1) == 32, "int64")
    call pileus_deallocate(numbers)
  end subroutine stable_arrays_are_pointers_and_targets

  !> -fcheck=pointer would stop the program at this call, so this file is built without it.
  subroutine put_names_what_it_cannot_take()
    real(real64), allocatable :: nothing(:, :)
    real(real64), pointer :: nowhere(:)
    integer(int8) :: bytes(2) = 0
    complex(real64) :: wave(2) = 0
    character(*), parameter :: kinds = &
      "; a field is real(real32), real(real64), integer(int32), integer(int64), logical or character"
    integer(c_int) :: status
    integer :: puts

    nullify (nowhere)
    puts = put%count_of_puts
    call pileus_put(run, 5, nothing, status)
    call expect(status == pileus_error_usage .and. &
      pileus_error(run) == "pileus_put: the array for field 5 is not there: it is not " // &
      "allocated, not associated or an absent argument", "an array not allocated")
    call pileus_put(run, 5, nowhere, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "a pointer to nothing")
    call put_absent()
    call pileus_put(run, 5, wave, status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == &
      "pileus_put: the array for field 5 is complex with elements of 16 bytes" // kinds, "complex")
    call pileus_put(run, 5, bytes, status)
    call expect(pileus_error(run) == &
      "pileus_put: the array for field 5 is an integer with elements of 1 bytes" // kinds, "int8")
    call pileus_put(run, 5, run, status)
    call expect(index(pileus_error(run), "is of a derived type") > 0, "a derived type")
    call expect(put%count_of_puts == puts, "nothing of it reaches the library")
    call pileus_put(run, 5, 1.0_real64, status)
    call expect(status == pileus_ok, "the next put")
  end subroutine put_names_what_it_cannot_take

  subroutine put_absent(array)
    real(real64), intent(in), optional :: array(:)
    integer(c_int) :: status

    call pileus_put(run, 5, array, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "an argument that is absent")
  end subroutine put_absent

  subroutine put_takes_what_procedures_get()
    real(real64) :: table(4, 3)
    integer :: i

    table = reshape([(real(i, real64), i = 1, size(table))], shape(table))
    call assumed_shape(table(4:1:-1, ::2))
    call explicit_shape(2, 3, table)
  end subroutine put_takes_what_procedures_get

  subroutine assumed_shape(array)
    real(real64), intent(in) :: array(0:, 0:)

    call pileus_put(run, 5, array(1:, :))
    call expect_doubles([3.0_real64, 2.0_real64, 1.0_real64, 11.0_real64, 10.0_real64, 9.0_real64], [3, 2], &
      "a section of a section")
  end subroutine assumed_shape

  subroutine explicit_shape(n, m, array)
    integer, intent(in) :: n, m
    real(real64), intent(in) :: array(n, m)

    call pileus_put(run, 5, array)
    call expect_doubles([1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64, 5.0_real64, 6.0_real64], [2, 3], &
      "an array of explicit shape")
  end subroutine explicit_shape

end module put_test
