! A small stand-in for those modules of MONC that the bridge uses, with their names and interfaces and nothing
! of their source. The first part: numbers, collections, options, messages.

module datadefn_mod
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: DEFAULT_PRECISION = real64, STRING_LENGTH = 150, LONG_STRING_LENGTH = 200
end module datadefn_mod

module collections_mod
  use datadefn_mod, only: STRING_LENGTH
  implicit none

  !> Holds a value of any type.
  type :: entry_type
    character(STRING_LENGTH) :: key = ""
    class(*), pointer :: value => null()
  end type entry_type

  type :: hashmap_type
    type(entry_type), allocatable :: entries(:)
  end type hashmap_type

  type :: list_type
    character(STRING_LENGTH), allocatable :: texts(:)
  end type list_type

contains

  integer function c_size(collection)
    type(list_type), intent(in) :: collection

    c_size = size(collection%texts)
  end function c_size

  character(STRING_LENGTH) function c_get_string(collection, i)
    type(list_type), intent(in) :: collection
    integer, intent(in) :: i

    c_get_string = collection%texts(i)
  end function c_get_string
end module collections_mod

module conversions_mod
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none

  interface conv_to_string
    module procedure integer_to_string, real32_to_string, real64_to_string, logical_to_string
  end interface conv_to_string

contains

  function integer_to_string(input) result(text)
    integer, intent(in) :: input
    character(15) :: text

    write (text, '(i0)') input
  end function integer_to_string

  function real32_to_string(input, decimal_places, exponent) result(text)
    real(real32), intent(in) :: input
    integer, intent(in), optional :: decimal_places
    logical, intent(in), optional :: exponent
    character(30) :: text

    text = real64_to_string(real(input, real64), decimal_places, exponent)
  end function real32_to_string

  !> As in MONC, small numbers lose digits without an exponent.
  function real64_to_string(input, decimal_places, exponent) result(text)
    real(real64), intent(in) :: input
    integer, intent(in), optional :: decimal_places
    logical, intent(in), optional :: exponent
    character(30) :: text

    if (present(decimal_places)) error stop "the stand-in does not cut digits"
    write (text, '(f0.10)') input
    if (present(exponent)) write (text, '(es30.15)') input
  end function real64_to_string

  function logical_to_string(input) result(text)
    logical, intent(in) :: input
    character(5) :: text

    text = merge("true ", "false", input)
  end function logical_to_string
end module conversions_mod

module logging_mod
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: LOG_ERROR = 1, LOG_WARN = 2, LOG_INFO = 3
  character(8), parameter :: words(3) = ["[ERROR] ", "[WARN]  ", "[INFO]  "]

contains

  subroutine log_log(level, message, str)
    integer, intent(in) :: level
    character(*), intent(in) :: message
    character(*), intent(out), optional :: str

    if (present(str)) str = message
    write (error_unit, '(2a)') words(level), message
    if (level == LOG_ERROR) error stop 1
  end subroutine log_log

  subroutine log_master_log(level, message)
    integer, intent(in) :: level
    character(*), intent(in) :: message

    call log_log(level, message)
  end subroutine log_master_log
end module logging_mod

module optionsdatabase_mod
  use datadefn_mod, only: DEFAULT_PRECISION, STRING_LENGTH
  use collections_mod, only: entry_type, hashmap_type
  implicit none

contains

  subroutine add_option(options, key, value)
    type(hashmap_type), intent(inout) :: options
    character(*), intent(in) :: key
    class(*), intent(in) :: value
    type(entry_type) :: new

    if (.not. allocated(options%entries)) allocate (options%entries(0))
    new%key = key
    allocate (new%value, source=value)
    options%entries = [options%entries, new]
  end subroutine add_option

  integer function options_size(options_database)
    type(hashmap_type), intent(inout) :: options_database

    options_size = size(options_database%entries)
  end function options_size

  character(STRING_LENGTH) function options_key_at(options_database, i)
    type(hashmap_type), intent(inout) :: options_database
    integer, intent(in) :: i

    options_key_at = options_database%entries(i)%key
  end function options_key_at

  function options_value_at(options_database, i)
    type(hashmap_type), intent(inout) :: options_database
    integer, intent(in) :: i
    class(*), pointer :: options_value_at

    options_value_at => options_database%entries(i)%value
  end function options_value_at

  logical function options_has_key(options_database, key)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: key

    options_has_key = place_of(options_database, key) > 0
  end function options_has_key

  integer function place_of(options, key)
    type(hashmap_type), intent(in) :: options
    character(*), intent(in) :: key

    do place_of = size(options%entries), 1, -1
      if (options%entries(place_of)%key == key) return
    end do
  end function place_of

  !> As in MONC, an option that is not there is false.
  logical function options_get_logical(options_database, key, index)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: key
    integer, intent(in), optional :: index

    options_get_logical = .false.
    if (present(index) .or. .not. options_has_key(options_database, key)) return
    select type (value => options_database%entries(place_of(options_database, key))%value)
    type is (logical)
      options_get_logical = value
    end select
  end function options_get_logical

  integer function options_get_integer(options_database, key, index)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: key
    integer, intent(in), optional :: index

    options_get_integer = -1
    if (present(index) .or. .not. options_has_key(options_database, key)) return
    select type (value => options_database%entries(place_of(options_database, key))%value)
    type is (integer)
      options_get_integer = value
    end select
  end function options_get_integer

  real(DEFAULT_PRECISION) function options_get_real(options_database, key, index)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: key
    integer, intent(in), optional :: index

    options_get_real = -1
    if (present(index) .or. .not. options_has_key(options_database, key)) return
    select type (value => options_database%entries(place_of(options_database, key))%value)
    type is (real(DEFAULT_PRECISION))
      options_get_real = value
    end select
  end function options_get_real

  character(STRING_LENGTH) function options_get_string(options_database, key, index)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: key
    integer, intent(in), optional :: index

    options_get_string = ""
    if (present(index) .or. .not. options_has_key(options_database, key)) return
    select type (value => options_database%entries(place_of(options_database, key))%value)
    type is (character(*))
      options_get_string = value
    end select
  end function options_get_string
end module optionsdatabase_mod
