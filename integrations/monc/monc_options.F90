!> Hands MONC's options to Pileus: as values that {key} in the configuration stands for, and as the maps that
!> a configuration may ask for. MONC_EPCC is defined for the newer fork.
module monc_options_mod
  use datadefn_mod, only: STRING_LENGTH
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use collections_mod, only: hashmap_type
  use conversions_mod, only: conv_to_string
  use optionsdatabase_mod, only: options_has_key, options_key_at, options_size, options_value_at
  use q_indices_mod, only: get_indices_descriptor, get_max_number_q_indices, q_metadata_type
  use pileus, only: pileus_option, pileus_put, pileus_run
  implicit none
  private

  public :: give_options, options_count, put_options, put_q_indices, q_field_names, used_q_indices

  character(*), parameter :: checkpoint_key = "checkpoint"

contains

  !> Gives every option of the database its key in the configuration, but for that which belongs to a start:
  !> files are the same then whether or not the run was continued.
  subroutine give_options(run, options)
    type(pileus_run), intent(inout) :: run
    type(hashmap_type), intent(inout) :: options
    class(*), pointer :: value
    integer :: i

    do i = 1, options_size(options)
      if (options_key_at(options, i) == checkpoint_key) cycle
      value => options_value_at(options, i)
      select type (value)
      type is (integer)
        call pileus_option(run, options_key_at(options, i), value)
      type is (real(real32))
        call pileus_option(run, options_key_at(options, i), shortest(real(value, real64)))
      type is (real(real64))
        call pileus_option(run, options_key_at(options, i), shortest(value))
      type is (logical)
        call pileus_option(run, options_key_at(options, i), value)
      type is (character(*))
        call pileus_option(run, options_key_at(options, i), trim(value))
      end select
    end do
  end subroutine give_options

  !> The number with as few digits as tell it apart, without an exponent where it needs none: configurations
  !> also put options into names of files.
  function shortest(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(40) :: buffer
    real(real64) :: again

    if (abs(value) < 1e9_real64 .and. abs(value - anint(value)) <= 0) then
      write (buffer, '(f0.1)') value
      if (abs(value) < 1) buffer = "0.0"
    else
      write (buffer, '(es23.15e3)') value
      read (buffer, *) again
      if (abs(again - value) > 0) write (buffer, '(es25.16e3)') value
    end if
    text = trim(adjustl(buffer))
  end function shortest

  !> How many options the map has: that which names the checkpoint belongs to a start, and not to the run.
  integer function options_count(options)
    type(hashmap_type), intent(inout) :: options

    options_count = options_size(options)
    if (options_has_key(options, checkpoint_key)) options_count = options_count - 1
  end function options_count

  !> The texts of all options, as MONC writes them into files.
  subroutine put_options(run, number, options)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    type(hashmap_type), intent(inout) :: options
    character(STRING_LENGTH), allocatable :: keys(:), values(:)
    class(*), pointer :: value
    integer :: i, used

    allocate (keys(options_count(options)), values(options_count(options)))
    used = 0
    do i = 1, options_size(options)
      if (options_key_at(options, i) == checkpoint_key) cycle
      used = used + 1
      keys(used) = options_key_at(options, i)
      value => options_value_at(options, i)
      values(used) = ""
      select type (value)
      type is (integer)
        values(used) = conv_to_string(value)
      type is (real(real32))
        values(used) = text_of_number(real(value, real64))
      type is (real(real64))
        values(used) = text_of_number(value)
      type is (logical)
        values(used) = conv_to_string(value)
      type is (character(*))
        values(used) = value
      end select
    end do
    call pileus_put(run, number, keys, values)
  end subroutine put_options

  !> The number as MONC writes it, or with all its digits where MONC leaves out some: MONC reads it again when
  !> it continues.
  function text_of_number(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    real(real64) :: again
    integer :: status

#ifdef MONC_EPCC
    text = trim(adjustl(conv_to_string(value, exponent=.true.)))
#else
    text = trim(adjustl(conv_to_string(value)))
#endif
    read (text, *, iostat=status) again
    if (status /= 0 .or. abs(again - value) > 0) text = shortest(value)
  end function text_of_number

  !> Which q field has which name, by their numbers.
  subroutine put_q_indices(run, number)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    character(STRING_LENGTH), allocatable :: keys(:), values(:)
    type(q_metadata_type) :: q_field
    integer :: i, used

    allocate (keys(used_q_indices()), values(used_q_indices()))
    used = 0
    do i = 1, get_max_number_q_indices()
      q_field = get_indices_descriptor(i)
      if (.not. q_field%l_used) cycle
      used = used + 1
      keys(used) = adjustl(q_field%name)
      values(used) = conv_to_string(i)
    end do
    call pileus_put(run, number, keys, values)
  end subroutine put_q_indices

  integer function used_q_indices()
    type(q_metadata_type) :: q_field
    integer :: i

    used_q_indices = 0
    do i = 1, get_max_number_q_indices()
      q_field = get_indices_descriptor(i)
      if (q_field%l_used) used_q_indices = used_q_indices + 1
    end do
  end function used_q_indices

  !> "vapour,qfield_2": the names by which files tell the q fields apart.
  function q_field_names(count) result(names)
    integer, intent(in) :: count
    character(:), allocatable :: names
    type(q_metadata_type) :: q_field
    integer :: i

    names = ""
    do i = 1, count
      q_field = get_indices_descriptor(i)
      if (i > 1) names = names // ","
      if (q_field%l_used) names = names // trim(adjustl(q_field%name))
      if (.not. q_field%l_used) names = names // "qfield_" // trim(adjustl(conv_to_string(i)))
    end do
  end function q_field_names

end module monc_options_mod
