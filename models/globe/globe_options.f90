!> The command line. Every rank reads it alike, so a mistake is known to all of them: `message` is empty if
!> there was none.
module globe_options
  use globe_constants, only: day, dp, gaussian, icosahedral, tripolar
  implicit none
  private
  public :: model_options, setting, component_of, read_command_line, help_lines

  integer, parameter :: text_length = 1024

  !> One `--set key=value` for the configuration.
  type :: setting
    character(text_length) :: key = "", value = ""
  end type setting

  !> Numbers that are 0 until somebody gives them get the default of the grid.
  type :: model_options
    integer :: grid = 0                       !< gaussian, tripolar or icosahedral
    integer :: size = 0, levels = 20, nproma = 0
    integer :: steps = 0                      !< the number of the last step
    real(dp) :: dt = 0                        !< mean length of a step, s
    real(dp) :: pace = 0                      !< time that the model rests in each step, s
    logical :: is_dealt_at_random = .false.
    logical :: is_coupled = .false.
    integer :: seed = 0                       !< of the random deal; 0 is its default
    integer :: checkpoint_every = 0           !< steps; 0: only when the configuration says that one is due
    integer :: continue_from = -1             !< step; 0: the newest; -1: a run from the start
    character(text_length) :: config = ""     !< XML file, if no server has one
    character(text_length) :: directory = "." !< of files and checkpoints, if no server was told otherwise
    type(setting), allocatable :: settings(:)
    logical :: help = .false., quiet = .false.
    character(:), allocatable :: message      !< the first mistake
  end type model_options

  character(12), parameter :: grids(3) = [character(12) :: "gaussian", "tripolar", "icosahedral"]
  character(*), parameter :: help_lines(*) = [character(110) :: &
    "globe: a tracer and a temperature on the sphere, computed point by point, on grids of the real world", &
    "", &
    "  --grid gaussian        an atmosphere on a reduced Gaussian grid, in blocks of NPROMA columns", &
    "         icosahedral     an atmosphere on triangles of a divided icosahedron, in any order", &
    "         tripolar        an ocean with land, on a grid with two poles in the north, on land", &
    "  --coupled              the atmosphere (gaussian) or the ocean (tripolar) of a job with both, which", &
    "                         exchange heat. In mpirun they stand side by side, pileus-server behind them", &
    "  --size N               latitudes between pole and equator (32); parts of an edge of the icosahedron", &
    "                         (16); cells along the equator (96)", &
    "  --levels N             levels of the atmosphere or the ocean (20)", &
    "  --steps N              the number of the last step (240; of the atmosphere of a coupled run 720)", &
    "  --dt SECONDS           mean length of a step (3600; tripolar: 129600; coupled: 1200 in the air,", &
    "                         3600 in the sea); steps take 3/4 and 5/4 of it", &
    "  --pace SECONDS         rest so long in each step, as models take longer than this one", &
    "  --nproma N             columns in a block of the Gaussian grid (32)", &
    "  --deal blocks|random   who holds which points: neighbours together (blocks), or at random", &
    "  --seed N               seed of the random deal (1)", &
    "  --config FILE          configuration, if no server has one: the ranks then analyse and write", &
    "  --directory DIR        where files and checkpoints are, where no server was told otherwise (.)", &
    "  --checkpoint-every N   mark every N-th step, so that a run can go on after it", &
    "  --continue STEP|newest go on after a step that was marked, with any number of ranks and any deal", &
    "  --set key=value        what {key} in the configuration stands for; may be repeated", &
    "  --quiet                print nothing", &
    "  --help                 print this and stop"]

contains

  subroutine read_command_line(options)
    type(model_options), intent(out) :: options
    integer :: position

    allocate (options%settings(0))
    options%message = ""
    position = 1
    do while (position <= command_argument_count())
      call read_option(options, argument(position), position)
    end do
    if (options%help) return
    call check_together(options)
    call take_defaults(options)
  end subroutine read_command_line

  function argument(position) result(text)
    integer, intent(in) :: position
    character(:), allocatable :: text
    integer :: length

    call get_command_argument(position, length=length)
    allocate (character(length) :: text)
    call get_command_argument(position, value=text)
  end function argument

  !> Reads one option with its value, and moves the position behind them.
  subroutine read_option(options, name, position)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name
    integer, intent(inout) :: position

    position = position + 1
    select case (name)
    case ("--help", "-h"); options%help = .true.
    case ("--quiet"); options%quiet = .true.
    case ("--coupled"); options%is_coupled = .true.
    case ("--grid", "--size", "--levels", "--steps", "--dt", "--nproma", "--deal", "--seed", "--config", &
      "--pace", "--directory", "--checkpoint-every", "--continue", "--set")
      if (position > command_argument_count()) then
        call mistake(options, "option " // name // " needs a value")
      else
        call read_value(options, name, argument(position))
      end if
      position = position + 1
    case default
      call mistake(options, "unknown option """ // name // """; --help lists all")
    end select
  end subroutine read_option

  subroutine read_value(options, name, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value

    if (len(value) > text_length) call mistake(options, "the value of " // name // " is too long")
    if (len_trim(value) == 0) call mistake(options, "the value of " // name // " is empty")
    select case (name)
    case ("--grid"); call read_grid(options, value)
    case ("--size"); call read_integer(options, name, value, 4, 1000, options%size)
    case ("--levels"); call read_integer(options, name, value, 2, 1000, options%levels)
    case ("--steps"); call read_integer(options, name, value, 1, 100000000, options%steps)
    case ("--dt"); call read_seconds(options, name, value, options%dt)
    case ("--pace"); call read_seconds(options, name, value, options%pace)
    case ("--nproma"); call read_integer(options, name, value, 1, 1000000, options%nproma)
    case ("--deal"); call read_deal(options, value)
    case ("--seed"); call read_integer(options, name, value, 1, huge(1), options%seed)
    case ("--config"); options%config = value
    case ("--directory"); options%directory = value
    case ("--checkpoint-every"); call read_integer(options, name, value, 1, huge(1), options%checkpoint_every)
    case ("--continue"); call read_step(options, value)
    case ("--set"); call read_setting(options, value)
    end select
  end subroutine read_value

  !> Keeps the first mistake, as those after it may only be its consequences.
  subroutine mistake(options, text)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: text

    if (options%message == "") options%message = text
  end subroutine mistake

  subroutine read_grid(options, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: value

    options%grid = findloc(grids == value, .true., dim=1)
    if (options%grid == 0) call mistake(options, "--grid is gaussian, tripolar or icosahedral, not """ // &
      value // """")
  end subroutine read_grid

  subroutine read_deal(options, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: value

    options%is_dealt_at_random = value == "random"
    if (value /= "random" .and. value /= "blocks") then
      call mistake(options, "--deal is blocks or random, not """ // value // """")
    end if
  end subroutine read_deal

  subroutine read_integer(options, name, value, lowest, highest, number)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    integer, intent(in) :: lowest, highest
    integer, intent(inout) :: number
    integer :: status, parsed
    character(80) :: range

    status = 1
    if (verify(value, "0123456789") == 0) read (value, *, iostat=status) parsed
    if (status == 0) then
      if (parsed >= lowest .and. parsed <= highest) then
        number = parsed
        return
      end if
    end if
    write (range, "(a,i0,a,i0)") " needs a whole number from ", lowest, " to ", highest
    call mistake(options, name // trim(range) // ", not """ // value // """")
  end subroutine read_integer

  subroutine read_seconds(options, name, value, seconds)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    real(dp), intent(inout) :: seconds
    real(dp) :: parsed
    integer :: status

    status = 1
    if (verify(value, "0123456789.") == 0) read (value, *, iostat=status) parsed
    if (status == 0) then
      if (parsed > 0 .and. parsed < 1.0e7_dp) then
        seconds = parsed
        return
      end if
    end if
    call mistake(options, name // " needs a positive number of seconds below 1e7, not """ // value // """")
  end subroutine read_seconds

  subroutine read_step(options, value)
    type(model_options), intent(inout) :: options
    character(*), intent(in) :: value

    options%continue_from = 0
    if (value /= "newest") call read_integer(options, "--continue", value, 1, huge(1), options%continue_from)
  end subroutine read_step

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

  !> Options that have no meaning without others are mistakes too.
  subroutine check_together(options)
    type(model_options), intent(inout) :: options

    if (options%grid == 0) call mistake(options, "--grid is needed: gaussian, tripolar or icosahedral")
    if (options%nproma > 0 .and. options%grid /= gaussian) then
      call mistake(options, "--nproma needs --grid gaussian: the other grids have no blocks")
    end if
    if (options%is_coupled .and. options%grid == icosahedral) then
      call mistake(options, "--coupled needs --grid gaussian or tripolar")
    end if
    if (options%seed > 0 .and. .not. options%is_dealt_at_random) then
      call mistake(options, "--seed needs --deal random")
    end if
  end subroutine check_together

  subroutine take_defaults(options)
    type(model_options), intent(inout) :: options
    integer, parameter :: sizes(3) = [32, 96, 16]

    if (options%size == 0 .and. options%grid > 0) options%size = sizes(options%grid)
    if (options%nproma == 0) options%nproma = 32
    if (options%seed == 0) options%seed = 1
    if (options%steps == 0) options%steps = merge(720, 240, options%is_coupled .and. options%grid == gaussian)
    if (options%dt > 0) return
    options%dt = day / 24
    if (options%grid == tripolar .and. .not. options%is_coupled) options%dt = 1.5_dp * day
    if (options%grid == gaussian .and. options%is_coupled) options%dt = day / 72
  end subroutine take_defaults

  !> The name of this program's component in Pileus; empty if it is not coupled.
  function component_of(options) result(name)
    type(model_options), intent(in) :: options
    character(:), allocatable :: name

    name = ""
    if (options%is_coupled .and. options%grid == gaussian) name = "atmosphere"
    if (options%is_coupled .and. options%grid == tripolar) name = "ocean"
  end function component_of
end module globe_options
