!> The command line of the model. Every rank reads it alike, before MPI is started, so a mistake is
!> known to all of them and only has to be reported by one: `message` is empty if there was none.
module cumulus_options
  use cumulus_constants, only: dp
  use cumulus_suggest, only: suggestion
  implicit none
  private
  public :: model_options, setting, read_command_line, help_lines

  integer, parameter :: text_length = 1024

  !> One `--set key=value`, handed on to the output.
  type :: setting
    character(text_length) :: key = ""
    character(text_length) :: value = ""
  end type setting

  type :: model_options
    character(text_length) :: case_name = "bubbles"
    integer :: nx = 64, ny = 64, nz = 50            !< cells
    logical :: per_rank = .false.                   !< nx and ny are counted on each rank
    real(dp) :: dx = 200, dy = 200, dz = 100        !< m
    real(dp) :: end_time = 1500                     !< s; the run stops at the first step that reaches it
    integer :: steps = huge(1)                      !< or stops after so many steps, whichever comes first
    integer :: layout_x = 0, layout_y = 0           !< ranks in x and y; 0: the model chooses
    integer :: seed = 1                             !< seed of the initial perturbations
    integer :: progress = 25                        !< steps between two lines of progress
    logical :: uneven = .false., hash = .false., quiet = .false., help = .false., version = .false.
    logical :: initial_state = .false.              !< hands the state over before the first step
    character(text_length) :: output = "none"
    character(text_length) :: config = ""           !< configuration file of the output
    character(text_length) :: sums = ""             !< list of diagnostics whose sums the model hands over
    character(text_length) :: directory = "."       !< folder for the model's own files
    character(text_length) :: restart_read = "", restart_write = ""
    integer :: checkpoint_every = 0                 !< steps; 0: only when the output says that one is due
    character(text_length) :: continue_from = ""    !< "newest", or a step
    type(setting), allocatable :: settings(:)
    character(:), allocatable :: message            !< the first mistake on the command line
  end type model_options

  character(18), parameter :: known_options(29) = [character(18) :: "--case", "--nx", "--ny", "--nz", &
    "--dx", "--dy", "--dz", "--per-rank", "--end", "--steps", "--layout", "--uneven", "--seed", "--output", &
    "--config", "--directory", "--set", "--restart-read", "--restart-write", "--checkpoint-every", &
    "--continue", "--hash", "--progress", &
    "--quiet", "--help", "-h", "--initial-state", "--version", "--sums"]
  character(8), parameter :: known_cases(2) = [character(8) :: "bubbles", "stratus"]
  character(10), parameter :: known_outputs(4) = [character(10) :: "none", "pileus", "sequential", "parallel"]

  character(*), parameter :: help_lines(*) = [character(100) :: &
    "cumulus: a small three-dimensional model of growing cumulus clouds", &
    "", &
    "  --case bubbles           initial state: warm moist bubbles in a sheared, unstable layer", &
    "         stratus           or a sheet of cloud below an inversion", &
    "  --nx N --ny N --nz N     cells in x, y and z (64 64 50; stratus: 32 32 64)", &
    "  --dx M --dy M --dz M     their size in metres (200 200 100; stratus: 50 50 25)", &
    "  --per-rank               --nx and --ny are those of each rank: the domain grows with them", &
    "  --end SECONDS            stop at the first step that reaches this model time (1500)", &
    "  --steps N                stop after N steps of this run, if that comes first", &
    "  --layout PXxPY           ranks in x and y, such as 3x1 (default: short borders)", &
    "  --uneven                 give the ranks parts of clearly different widths", &
    "  --seed N                 seed of the random initial perturbations (1)", &
    "  --output none|pileus|    who takes the fields (none); or the model computes and writes itself,", &
    "    sequential|parallel    on rank 0 or on all ranks together", &
    "  --config FILE            configuration file of the output; of the last two a list of diagnostics", &
    "  --sums LIST              hand pileus what the list needs, summed up by level, and no fields", &
    "  --directory DIR          where files are written, if no server was told otherwise (.)", &
    "  --initial-state          hand the state at the start over to pileus, in a step of no length", &
    "  --set key=value          a setting for the output; may be repeated", &
    "  --restart-read FILE      continue from a state written by --restart-write", &
    "  --restart-write FILE     write the whole state at the end of the run", &
    "  --checkpoint-every N     keep the state of every N-th step, the model's own and that of the output", &
    "  --continue STEP|newest   go on after a step that was kept, in the same directory", &
    "  --hash                   print a hash of all fields at the end; it does not depend on the ranks", &
    "  --progress N             steps between two lines of progress (25)", &
    "  --quiet                  print no progress", &
    "  --version                print the version, with that of pileus, and stop", &
    "  --help                   print this and stop"]

contains

  !> Reads the whole command line even after a mistake, so that `output` is known in any case.
  subroutine read_command_line(options)
    type(model_options), intent(out) :: options
    integer :: position

    allocate (options%settings(0))
    options%message = ""
    call take_size_of_case(options)
    position = 1
    do while (position <= command_argument_count())
      call read_option(options, argument(position), position)
    end do
    if (.not. allocated(options%message)) options%message = ""
    if (options%sums /= "" .and. options%output /= "pileus") then
      call mistake(options, "--sums needs --output pileus")
    end if
    if (options%continue_from /= "" .and. options%restart_read /= "") then
      call mistake(options, "--continue and --restart-read are two ways to begin; leave one out")
    end if
  end subroutine read_command_line

  !> A stratus has its own cells; options overrule them wherever they stand.
  subroutine take_size_of_case(options)
    type(model_options), intent(inout) :: options
    integer :: i

    do i = 1, command_argument_count() - 1
      if (argument(i) /= "--case" .or. argument(i + 1) /= "stratus") cycle
      options%nx = 32
      options%ny = 32
      options%nz = 64
      options%dx = 50
      options%dy = 50
      options%dz = 25
    end do
  end subroutine take_size_of_case

  function argument(position) result(text)
    integer, intent(in) :: position
    character(:), allocatable :: text
    integer :: length

    call get_command_argument(position, length=length)
    allocate (character(length) :: text)
    call get_command_argument(position, value=text)
  end function argument

  !> Reads one option and its value, and moves the position behind them.
  subroutine read_option(options, name, position)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name
    integer, intent(inout) :: position
    character(:), allocatable :: value

    position = position + 1
    select case (name)
    case ("--uneven"); options%uneven = .true.; return
    case ("--per-rank"); options%per_rank = .true.; return
    case ("--hash"); options%hash = .true.; return
    case ("--initial-state"); options%initial_state = .true.; return
    case ("--quiet"); options%quiet = .true.; return
    case ("--help", "-h"); options%help = .true.; return
    case ("--version"); options%version = .true.; return
    end select

    if (.not. any(known_options == name)) then
      call mistake(options, "unknown option """ // name // """" // suggestion(name, known_options))
      return
    end if
    if (position > command_argument_count()) then
      call mistake(options, "option " // name // " needs a value")
      return
    end if
    value = argument(position)
    position = position + 1
    call check_length(options, name, value)

    select case (name)
    case ("--case"); call read_word(options, name, value, known_cases, options%case_name)
    case ("--nx"); call read_integer(options, name, value, 1, options%nx)
    case ("--ny"); call read_integer(options, name, value, 1, options%ny)
    case ("--nz"); call read_integer(options, name, value, 4, options%nz)
    case ("--dx"); call read_positive(options, name, value, options%dx)
    case ("--dy"); call read_positive(options, name, value, options%dy)
    case ("--dz"); call read_positive(options, name, value, options%dz)
    case ("--end"); call read_positive(options, name, value, options%end_time)
    case ("--steps"); call read_integer(options, name, value, 0, options%steps)
    case ("--layout"); call read_layout(options, value)
    case ("--seed"); call read_integer(options, name, value, 0, options%seed)
    case ("--output"); call read_word(options, name, value, known_outputs, options%output)
    case ("--config"); options%config = value
    case ("--sums"); options%sums = value
    case ("--directory"); options%directory = value
    case ("--set"); call read_setting(options, value)
    case ("--restart-read"); options%restart_read = value
    case ("--restart-write"); options%restart_write = value
    case ("--checkpoint-every"); call read_integer(options, name, value, 1, options%checkpoint_every)
    case ("--continue"); call read_step(options, name, value)
    case ("--progress"); call read_integer(options, name, value, 1, options%progress)
    end select
  end subroutine read_option

  !> Keeps the first mistake, as those after it may only be its consequences.
  subroutine mistake(options, text)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: text

    if (options%message == "") options%message = text
  end subroutine mistake

  subroutine check_length(options, name, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value

    if (len(value) > text_length) call mistake(options, "the value of " // name // " is too long")
    if (len_trim(value) == 0) call mistake(options, "the value of " // name // " is empty")
  end subroutine check_length

  subroutine read_word(options, name, value, known, word)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value, known(:)
    character(*), intent(inout) :: word

    if (any(known == value)) then
      word = value
    else
      call mistake(options, name // " does not know """ // value // """" // suggestion(value, known))
    end if
  end subroutine read_word

  subroutine read_step(options, name, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    integer :: step

    step = 0
    if (value /= "newest") call read_integer(options, name, value, 0, step)
    options%continue_from = value
  end subroutine read_step

  subroutine read_integer(options, name, value, lowest, number)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    integer, intent(in) :: lowest
    integer, intent(inout) :: number
    character(12) :: lowest_text

    if (is_integer(value, number)) then
      if (number >= lowest) return
    end if
    write (lowest_text, "(i0)") lowest
    call mistake(options, name // " needs a whole number of at least " // trim(lowest_text) &
                 // ", not """ // value // """")
  end subroutine read_integer

  function is_integer(value, number) result(ok)
    character(*), intent(in) :: value
    integer, intent(inout) :: number
    logical :: ok
    integer :: status, parsed

    ok = len(value) > 0 .and. verify(value, "0123456789") == 0
    if (.not. ok) return
    read (value, *, iostat=status) parsed
    ok = status == 0
    if (ok) number = parsed
  end function is_integer

  subroutine read_positive(options, name, value, number)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    real(dp), intent(inout) :: number
    integer :: status
    real(dp) :: parsed

    status = 1
    if (verify(value, "0123456789.eE+-") == 0) read (value, *, iostat=status) parsed
    if (status == 0) then
      if (parsed > 0 .and. parsed < 1.0e9_dp) then
        number = parsed
        return
      end if
    end if
    call mistake(options, name // " needs a positive number, not """ // value // """")
  end subroutine read_positive

  subroutine read_layout(options, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: value
    integer :: cross
    logical :: ok

    cross = index(value, "x")
    ok = cross > 1
    if (ok) ok = is_integer(value(:cross - 1), options%layout_x)
    if (ok) ok = is_integer(value(cross + 1:), options%layout_y)
    if (ok) ok = options%layout_x > 0 .and. options%layout_y > 0
    if (.not. ok) call mistake(options, "--layout needs PXxPY, such as 3x1, not """ // value // """")
  end subroutine read_layout

  subroutine read_setting(options, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: value
    integer :: equals

    equals = index(value, "=")
    if (equals > 1) then
      options%settings = [options%settings, setting(value(:equals - 1), value(equals + 1:))]
    else
      call mistake(options, "--set needs key=value, not """ // value // """")
    end if
  end subroutine read_setting
end module cumulus_options
