!> Diagnostics that the model computes itself, on its own ranks, from a list such as stratus.list: horizontal
!> means, extremes and covariances of products of its fields. Models without servers work like this. `--output
!> sequential` and `--output parallel` use it, for comparison with `--output pileus`.
module cumulus_diagnostics
  use mpi_f08, only: MPI_Allreduce, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_Op, MPI_Reduce, MPI_SUM
  use cumulus_constants, only: dp
  use cumulus_grid, only: model_grid
  use cumulus_offer, only: offered, find_offered, path_values, volume_values
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  use cumulus_suggest, only: suggestion
  implicit none
  private
  public :: diagnostic, diagnostic_list, quantity, source, read_list, sum_up, is_extreme, diagnose

  integer, parameter :: most_factors = 4, line_length = 200
  character(5), parameter :: reductions(5) = [character(5) :: "mean", "min", "max", "cov", "value"]

  !> One line of the list.
  type :: diagnostic
    character(40) :: name = "", units = ""
    character(5) :: reduction = ""                  !< one of `reductions`
    character(60) :: factors = ""                   !< as in the list: theta*w_centre
    character(6) :: level = ""                      !< z or z_face for a profile, blank for a single number
    integer :: first = 0, last = 0                  !< positions of its values among those of all diagnostics
    integer, private :: quantities(3) = 0           !< for a covariance three: the product and both factors
  end type diagnostic

  !> What is reduced over the ranks: a product of fields, summed (mean) or compared (min, max) at each level.
  type :: quantity
    character(5) :: reduction = ""
    integer :: factors(most_factors) = 0            !< indices into `sources`
    integer :: factor_count = 0
    integer :: first = 0, last = 0                  !< its rows among the sums or the extremes
  end type quantity

  !> A field that is needed. Its view into the state is made anew in each step.
  type :: source
    integer :: field = 0                            !< index into `offered`
    integer :: levels = 1
    real(dp), allocatable :: work(:, :, :)
    real(dp), pointer :: values(:, :, :) => null()
  end type source

  type :: diagnostic_list
    character(100) :: file = ""                     !< name of the file, without .nc
    real(dp) :: interval = 0, period = 0            !< of averaging and of files, s
    type(diagnostic), allocatable :: diagnostics(:)
    integer :: value_count = 0
    type(quantity), allocatable :: quantities(:)
    type(source), allocatable :: sources(:)
    real(dp), allocatable :: own_sums(:), own_extremes(:)  !< those of this rank; see sum_up
    real(dp), allocatable, private :: sums(:), extremes(:)
  end type diagnostic_list

contains

  !> Errors: a message, the same one on all ranks that read the same file.
  subroutine read_list(name, grid, list, message)
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(diagnostic_list), intent(out) :: list
    character(:), allocatable, intent(out) :: message
    character(line_length) :: line
    integer :: unit, status, number

    message = ""
    allocate (list%diagnostics(0), list%quantities(0), list%sources(0))
    open (newunit=unit, file=name, status="old", action="read", iostat=status)
    if (status /= 0) then
      message = "cannot read the list of diagnostics " // name
      return
    end if
    number = 0
    do
      read (unit, "(a)", iostat=status) line
      if (status /= 0 .or. message /= "") exit
      number = number + 1
      if (line == "" .or. line(1:1) == "#") cycle
      call read_line(line, grid, list, message)
      if (message /= "") message = name // ":" // plain(number) // ": " // message
    end do
    close (unit)
    if (message == "" .and. list%file == "") message = name // ": there is no line that begins with output"
    if (message /= "") return
    allocate (list%own_sums(row_count(list, .false.)), list%own_extremes(row_count(list, .true.)))
    allocate (list%sums, mold=list%own_sums)
    allocate (list%extremes, mold=list%own_extremes)
  end subroutine read_list

  !> Reads a line: output NAME INTERVAL PERIOD, or NAME REDUCTION DIMENSIONS FACTORS UNITS.
  subroutine read_line(line, grid, list, message)
    character(*), intent(in) :: line
    type(model_grid), intent(in) :: grid
    type(diagnostic_list), intent(inout) :: list
    character(:), allocatable, intent(inout) :: message
    type(diagnostic) :: new
    character(:), allocatable :: rest, dimensions
    integer :: status

    rest = trim(line)
    new%name = next_word(rest)
    if (new%name == "output") then
      list%file = next_word(rest)
      read (rest, *, iostat=status) list%interval, list%period
      if (status /= 0 .or. .not. (list%interval > 0 .and. list%period > 0)) then
        message = "expected: output NAME SECONDS SECONDS"
      end if
      return
    end if
    new%reduction = next_word(rest)
    dimensions = next_word(rest)
    new%factors = next_word(rest)
    new%units = adjustl(rest)
    if (new%units == "") then
      message = "expected: NAME REDUCTION DIMENSIONS FACTORS UNITS"
    else if (.not. any(reductions == new%reduction)) then
      message = "no reduction """ // trim(new%reduction) // """" // suggestion(new%reduction, reductions)
    else
      call add_diagnostic(new, dimensions(1:1) == "z", grid, list, message)
    end if
  end subroutine read_line

  !> Removes the first word from the text and returns it.
  function next_word(text) result(word)
    character(:), allocatable, intent(inout) :: text
    character(:), allocatable :: word
    integer :: length

    text = trim(adjustl(text))
    length = index(text // " ", " ") - 1
    word = text(:length)
    text = text(length + 1:)
  end function next_word

  !> `is_whole`: whether it is reduced over the levels too.
  subroutine add_diagnostic(new, is_whole, grid, list, message)
    type(diagnostic), intent(inout) :: new
    logical, intent(in) :: is_whole
    type(model_grid), intent(in) :: grid
    type(diagnostic_list), intent(inout) :: list
    character(:), allocatable, intent(inout) :: message
    character(:), allocatable :: left, right
    integer :: star, levels

    if (new%reduction == "cov") then
      star = index(new%factors, "*")
      left = new%factors(:max(star - 1, 0))
      right = trim(new%factors(star + 1:))
      call add_quantity("mean", left // "*" // right, grid, list, new%quantities(1), message)
      if (message == "") call add_quantity("mean", left, grid, list, new%quantities(2), message)
      if (message == "") call add_quantity("mean", right, grid, list, new%quantities(3), message)
    else
      call add_quantity(new%reduction, trim(new%factors), grid, list, new%quantities(1), message)
    end if
    if (message /= "") return
    associate (made => list%quantities(new%quantities(1)))
      levels = list%sources(made%factors(1))%levels
      new%level = offered(list%sources(made%factors(1))%field)%dimensions(1)
    end associate
    if (is_whole) new%level = ""
    new%first = list%value_count + 1
    new%last = list%value_count + merge(1, levels, new%level == "")
    list%value_count = new%last
    list%diagnostics = [list%diagnostics, new]
  end subroutine add_diagnostic

  !> Finds a quantity, or adds it.
  subroutine add_quantity(reduction, factors, grid, list, place, message)
    character(*), intent(in) :: reduction, factors
    type(model_grid), intent(in) :: grid
    type(diagnostic_list), intent(inout) :: list
    integer, intent(out) :: place
    character(:), allocatable, intent(inout) :: message
    type(quantity) :: new
    integer :: begin, star, rows

    new%reduction = reduction
    begin = 1
    do while (begin <= len(factors) .and. message == "")
      star = index(factors(begin:) // "*", "*")
      if (new%factor_count == most_factors) then
        message = "more than four factors"
        return
      end if
      new%factor_count = new%factor_count + 1
      call add_source(factors(begin:begin + star - 2), grid, list, new%factors(new%factor_count), message)
      begin = begin + star
    end do
    if (message /= "") return
    do place = 1, size(list%quantities)
      if (list%quantities(place)%reduction == new%reduction &
          .and. all(list%quantities(place)%factors == new%factors)) return
    end do
    rows = row_count(list, is_extreme(new))
    new%first = rows + 1
    new%last = rows + list%sources(new%factors(1))%levels
    list%quantities = [list%quantities, new]
    place = size(list%quantities)
  end subroutine add_quantity

  subroutine add_source(name, grid, list, place, message)
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(diagnostic_list), intent(inout) :: list
    integer, intent(out) :: place
    character(:), allocatable, intent(inout) :: message
    type(source) :: new

    place = 0
    new%field = find_offered(name)
    if (new%field == 0) then
      message = "no field """ // name // """" // suggestion(name, offered%name)
      return
    end if
    do place = 1, size(list%sources)
      if (list%sources(place)%field == new%field) return
    end do
    associate (level => offered(new%field)%dimensions(1))
      if (level /= "") new%levels = merge(grid%nz + 1, grid%nz, level == "z_face")
    end associate
    allocate (new%work(merge(1, grid%nz, new%levels == 1), grid%ny, grid%nx))
    list%sources = [list%sources, new]
    place = size(list%sources)
  end subroutine add_source

  pure logical function is_extreme(a)
    type(quantity), intent(in) :: a

    is_extreme = a%reduction == "min" .or. a%reduction == "max"
  end function is_extreme

  pure integer function row_count(list, extremes)
    type(diagnostic_list), intent(in) :: list
    logical, intent(in) :: extremes
    integer :: q

    row_count = 0
    do q = 1, size(list%quantities)
      if (is_extreme(list%quantities(q)) .eqv. extremes) row_count = list%quantities(q)%last
    end do
  end function row_count

  !> The values of all diagnostics at this step, on all ranks or on rank 0 alone.
  subroutine diagnose(list, grid, base, state, largest, on_all_ranks, values)
    type(diagnostic_list), intent(inout), target :: list
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    logical, intent(in) :: on_all_ranks
    real(dp), intent(out) :: values(:)
    integer :: q

    call sum_up(list, grid, base, state, largest)
    call reduce(list%own_sums, list%sums, MPI_SUM)
    call reduce(list%own_extremes, list%extremes, MPI_MAX)
    do q = 1, size(list%diagnostics)
      associate (wanted => list%diagnostics(q))
        call finish_value(list, grid, wanted, values(wanted%first:wanted%last))
      end associate
    end do

  contains

    subroutine reduce(own, of_all, operation)
      real(dp), intent(in) :: own(:)
      real(dp), intent(inout) :: of_all(:)
      type(MPI_Op), intent(in) :: operation

      if (on_all_ranks) then
        call MPI_Allreduce(own, of_all, size(own), MPI_DOUBLE_PRECISION, operation, grid%comm)
      else
        call MPI_Reduce(own, of_all, size(own), MPI_DOUBLE_PRECISION, operation, 0, grid%comm)
      end if
    end subroutine reduce
  end subroutine diagnose

  !> Computes the sums and extremes of this rank's columns at this step. A minimum is the negative of the
  !> maximum of the negatives.
  subroutine sum_up(list, grid, base, state, largest)
    type(diagnostic_list), intent(inout), target :: list
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    integer :: i, j, q, s

    do s = 1, size(list%sources)
      call fill_source(list%sources(s), grid, base, state, largest)
    end do
    list%own_sums = 0
    list%own_extremes = -huge(1.0_dp)
    do i = 1, grid%nx
      do j = 1, grid%ny
        do q = 1, size(list%quantities)
          call add_column(list, list%quantities(q), j, i)
        end do
      end do
    end do
  end subroutine sum_up

  subroutine fill_source(needed, grid, base, state, largest)
    type(source), intent(inout), target :: needed
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest

    associate (name => offered(needed%field)%name)
      select case (name)
      case ("dt"); needed%work = state%dt
      case ("cfl"); needed%work = state%dt * largest%courant_rate
      case ("vwp", "lwp"); call path_values(grid, base, state, name, needed%work(1, :, :))
      case default
        call volume_values(grid, base, state, name, needed%work, needed%values)
        return
      end select
    end associate
    needed%values => needed%work
  end subroutine fill_source

  !> Adds one column to one quantity.
  subroutine add_column(list, a, j, i)
    type(diagnostic_list), intent(inout) :: list
    type(quantity), intent(in) :: a
    integer, intent(in) :: j, i
    real(dp) :: x(a%last - a%first + 1)
    integer :: f

    x = list%sources(a%factors(1))%values(:, j, i)
    do f = 2, a%factor_count
      x = x * list%sources(a%factors(f))%values(:, j, i)
    end do
    select case (a%reduction)
    case ("min")
      list%own_extremes(a%first:a%last) = max(list%own_extremes(a%first:a%last), -x)
    case ("max")
      list%own_extremes(a%first:a%last) = max(list%own_extremes(a%first:a%last), x)
    case default
      list%own_sums(a%first:a%last) = list%own_sums(a%first:a%last) + x
    end select
  end subroutine add_column

  !> Makes a diagnostic's profile or number from what has been reduced.
  subroutine finish_value(list, grid, wanted, values)
    type(diagnostic_list), intent(in) :: list
    type(model_grid), intent(in) :: grid
    type(diagnostic), intent(in) :: wanted
    real(dp), intent(out) :: values(:)
    real(dp), allocatable :: profile(:)
    real(dp) :: columns
    logical :: is_number

    columns = real(grid%nx_global, dp) * grid%ny_global
    associate (a => list%quantities(wanted%quantities(1)))
      is_number = wanted%level == "" .and. a%last > a%first
      select case (wanted%reduction)
      case ("min"); profile = -list%extremes(a%first:a%last)
      case ("max"); profile = list%extremes(a%first:a%last)
      case ("cov"); profile = mean(1) - mean(2) * mean(3)
      case default; profile = mean(1)
      end select
      if (.not. is_number) then
        values = profile
      else if (wanted%reduction == "min") then
        values = minval(profile)
      else if (wanted%reduction == "max") then
        values = maxval(profile)
      else
        values = sum(profile) / size(profile)
      end if
    end associate

  contains

    function mean(which) result(means)
      integer, intent(in) :: which
      real(dp), allocatable :: means(:)

      associate (a => list%quantities(wanted%quantities(which)))
        means = list%sums(a%first:a%last) / columns
      end associate
    end function mean
  end subroutine finish_value

  function plain(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(12) :: buffer

    write (buffer, "(i0)") number
    text = trim(buffer)
  end function plain
end module cumulus_diagnostics
