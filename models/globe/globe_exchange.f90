!> The two components of a coupled run: how they find each other, and what they exchange. A cell of the sea
!> is taken in 64 parts of the same area, and each belongs to the cell of the air in which its middle lies.
!> The air gets the mean temperature of the sea in each of its cells, and the sea the heat that these took.
!>
!> A value comes from one rank, and all others add 0, which changes nothing. Each rank then sums in the order
!> of the points. So the bits do not depend on the ranks. A small model may do so: each has all points.
module globe_exchange
  use mpi_f08
  use globe_constants, only: dp, gaussian, tripolar
  use globe_gaussian, only: gaussian_point_at, gaussian_rows, make_gaussian
  use globe_grid, only: model_grid
  use globe_options, only: model_options
  use globe_physics, only: level_set
  use globe_sphere, only: place_within
  use globe_surface, only: surface_state, surface_temperature
  implicit none
  private
  public :: partners, find_partner, meet, exchange, agree_on_due, newest_of_both, collected

  integer, parameter :: tag = 71, side = 8, parts = side**2
  real(dp), parameter :: patience = 30  !< s

  type :: partners
    type(MPI_Comm) :: both = MPI_COMM_NULL    !< the ranks of air and sea
    integer :: interval = 0                   !< own steps from one exchange to the next
    real(dp) :: length = 0                    !< of it, s
    integer :: air_points = 0, sea_points = 0
    integer, allocatable :: point_of_air(:, :)  !< for each part and point of the sea; 0 on land
    real(dp), allocatable :: area(:)            !< m2, of a part of each point of the sea
  end type partners

contains

  !> The components stand side by side in the job, whatever the order, and servers behind them. `message` is
  !> not empty if there is nobody. If either has a mistake in its command line, `is_right` is false on both.
  subroutine find_partner(model, is_right, link, message)
    type(MPI_Comm), intent(in) :: model
    logical, intent(inout) :: is_right
    type(partners), intent(out) :: link
    character(:), allocatable, intent(inout) :: message
    type(MPI_Comm) :: between
    type(MPI_Group) :: ours, all
    integer :: ranks, i, leader
    integer, allocatable :: places(:)

    call MPI_Comm_size(model, ranks)
    call MPI_Comm_group(model, ours)
    call MPI_Comm_group(MPI_COMM_WORLD, all)
    allocate (places(ranks))
    call MPI_Group_translate_ranks(ours, ranks, [(i, i = 0, ranks - 1)], all, places)
    call MPI_Group_free(ours)
    call MPI_Group_free(all)
    leader = merge(maxval(places) + 1, 0, minval(places) == 0)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (.not. answers(model, leader, ranks)) then
      if (message == "") message = "--coupled needs the other component beside this one: mpirun " // &
        "globe --grid gaussian --coupled : globe --grid tripolar --coupled"
      return
    end if
    call MPI_Intercomm_create(model, 0, MPI_COMM_WORLD, leader, tag, between)
    call MPI_Intercomm_merge(between, minval(places) > 0, link%both)
    call MPI_Comm_free(between)
    call MPI_Allreduce(MPI_IN_PLACE, is_right, 1, MPI_LOGICAL, MPI_LAND, link%both)
  end subroutine find_partner

  !> Whether that rank is of the other component, which says so: all have come from pileus_start together.
  logical function answers(model, leader, ranks)
    type(MPI_Comm), intent(in) :: model
    integer, intent(in) :: leader, ranks
    integer, asynchronous :: theirs
    integer :: rank
    real(dp) :: begin
    type(MPI_Request) :: sent, received

    call MPI_Comm_rank(model, rank)
    answers = .false.
    if (rank == 0 .and. leader < ranks) then
      begin = MPI_Wtime()
      call MPI_Isend(tag, 1, MPI_INTEGER, leader, tag, MPI_COMM_WORLD, sent)
      call MPI_Irecv(theirs, 1, MPI_INTEGER, leader, tag, MPI_COMM_WORLD, received)
      do while (.not. answers .and. MPI_Wtime() - begin < patience)
        call MPI_Test(received, answers, MPI_STATUS_IGNORE)
      end do
      if (.not. answers) call MPI_Cancel(received)
      if (.not. answers) call MPI_Request_free(received)
      call MPI_Request_free(sent)
    end if
    call MPI_Bcast(answers, 1, MPI_LOGICAL, 0, model)
  end function answers

  !> Tells each other the grids. Errors: a message, the same on all ranks.
  subroutine meet(options, grid, link, surface, message)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(partners), intent(inout) :: link
    type(surface_state), intent(inout) :: surface
    character(:), allocatable, intent(inout) :: message
    real(dp) :: numbers(4, 2)  ! size, points, steps and dt of air and sea

    numbers = 0
    numbers(:, options%grid) = [real(options%size, dp), real(grid%points, dp), real(options%steps, dp), &
                                options%dt]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, size(numbers), MPI_DOUBLE_PRECISION, MPI_MAX, link%both)
    link%air_points = nint(numbers(2, gaussian))
    link%sea_points = nint(numbers(2, tripolar))
    link%length = 2 * numbers(4, tripolar)  ! two steps of the sea, as these are not equally long
    link%interval = nint(link%length / options%dt)
    associate (steps => nint(numbers(3, :)), ratio => nint(numbers(4, tripolar) / numbers(4, gaussian)))
      if (abs(ratio * numbers(4, gaussian) - numbers(4, tripolar)) > 1e-9_dp * numbers(4, tripolar)) then
        message = "--dt of the ocean must be that of the atmosphere or a multiple of it"
      else if (steps(gaussian) /= ratio * steps(tripolar) .or. modulo(steps(tripolar), 2) /= 0) then
        message = "--steps must be even in the ocean and end at the same time in both components"
      end if
    end associate
    if (message == "") call share_places(grid, make_gaussian(nint(numbers(1, gaussian))), link, surface)
  end subroutine meet

  !> Which cells of the sea lie in which of the air.
  subroutine share_places(grid, rows, link, surface)
    type(model_grid), intent(in) :: grid
    type(gaussian_rows), intent(in) :: rows
    type(partners), intent(inout) :: link
    type(surface_state), intent(inout) :: surface
    real(dp) :: points(size(grid%index, 1), size(grid%index, 2)), latitude, longitude
    integer :: i, j, part

    link%area = of_sea(grid, link, merge(grid%cells%area, 0.0_dp, grid%depth > 0) / parts)
    allocate (link%point_of_air(parts, link%sea_points))
    points = 0
    do part = 1, parts
      do j = 1, size(grid%index, 2)
        do i = 1, size(grid%index, 1)
          if (grid%depth(i, j) <= 0) cycle
          call place_within(grid%cells(i, j), (modulo(part - 1, side) + 0.5_dp) / side, &
            ((part - 1) / side + 0.5_dp) / side, latitude, longitude)
          points(i, j) = gaussian_point_at(rows, latitude, longitude)
        end do
      end do
      link%point_of_air(part, :) = nint(of_sea(grid, link, points))
    end do
    if (grid%kind == gaussian) surface%sea_area = at_points(grid, sums_by_air(link, link%area))
  end subroutine share_places

  !> Values of all points of the sea, from the ranks that have them; the air gives none.
  function of_sea(grid, link, values)
    type(model_grid), intent(in) :: grid
    type(partners), intent(in) :: link
    real(dp), intent(in) :: values(:, :)
    real(dp) :: of_sea(link%sea_points)

    of_sea = collected(grid, values, link%sea_points, grid%kind == tripolar, link%both)
  end function of_sea

  !> The values of all points of a grid, on all ranks of a communicator, of which some give theirs.
  function collected(grid, values, points, gives, ranks)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in) :: values(:, :)
    integer, intent(in) :: points
    logical, intent(in) :: gives
    type(MPI_Comm), intent(in) :: ranks
    real(dp) :: collected(points)
    integer :: i, j

    collected = 0
    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (gives .and. grid%index(i, j) > 0) collected(grid%index(i, j)) = values(i, j)
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, collected, points, MPI_DOUBLE_PRECISION, MPI_SUM, ranks)
  end function collected

  !> Sums over the parts of the sea in each cell of the air, in the order of the points and their parts.
  pure function sums_by_air(link, values) result(sums)
    type(partners), intent(in) :: link
    real(dp), intent(in) :: values(:)
    real(dp) :: sums(link%air_points)
    integer :: point, part

    sums = 0
    do point = 1, link%sea_points
      if (link%point_of_air(1, point) == 0) cycle
      do part = 1, parts
        associate (air => link%point_of_air(part, point))
          sums(air) = sums(air) + values(point)
        end associate
      end do
    end do
  end function sums_by_air

  !> Those of all points that this rank has, at their places in its arrays; 0 elsewhere.
  pure function at_points(grid, values)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in) :: values(:)
    real(dp) :: at_points(size(grid%index, 1), size(grid%index, 2))
    integer :: i, j

    at_points = 0
    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) > 0) at_points(i, j) = values(grid%index(i, j))
      end do
    end do
  end function at_points

  !> What the sea lost in the interval that ends, and how warm it is when the next one begins.
  subroutine exchange(grid, levels, time, link, surface)
    type(model_grid), intent(in) :: grid
    type(level_set), intent(in) :: levels
    real(dp), intent(in) :: time
    type(partners), intent(in) :: link
    type(surface_state), intent(inout) :: surface
    real(dp) :: temperature(size(grid%index, 1), size(grid%index, 2))
    real(dp) :: fluxes(link%air_points), sst(link%air_points)
    integer :: i, j

    temperature = 0
    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%depth(i, j) > 0) temperature(i, j) = &
          surface_temperature(grid, i, j, levels, time, surface)
      end do
    end do
    sst = sums_by_air(link, link%area * of_sea(grid, link, temperature))
    fluxes = collected(grid, surface%heat / link%length, link%air_points, grid%kind /= tripolar, link%both)
    if (grid%kind == tripolar) then
      surface%flux = 0
      do j = 1, size(grid%index, 2)
        do i = 1, size(grid%index, 1)
          if (grid%depth(i, j) > 0) surface%flux(i, j) = mean(fluxes(link%point_of_air(:, grid%index(i, j))))
        end do
      end do
    else
      surface%heat = 0
      surface%sst = at_points(grid, sst)
      where (surface%sea_area > 0) surface%sst = surface%sst / surface%sea_area
    end if
  end subroutine exchange

  pure real(dp) function mean(values)
    real(dp), intent(in) :: values(:)
    integer :: i

    mean = 0
    do i = 1, size(values)
      mean = mean + values(i)
    end do
    mean = mean / size(values)
  end function mean

  !> Whether both are to keep their state: if either is asked to.
  integer function agree_on_due(due, link)
    integer, intent(in) :: due
    type(partners), intent(in) :: link

    call MPI_Allreduce(due, agree_on_due, 1, MPI_INTEGER, MPI_MAX, link%both)
  end function agree_on_due

  !> The number of the newest exchange after which both can go on; 0 if there is none. `known`: those after
  !> which this component can, ascending, on one rank of it; on others `is_asked` is false.
  integer function newest_of_both(known, is_asked, link) result(newest)
    integer, intent(in) :: known(:)
    logical, intent(in) :: is_asked
    type(partners), intent(in) :: link
    integer :: own

    own = huge(1)
    do
      if (is_asked) own = maxval([0, pack(known, known <= own)])
      call MPI_Allreduce(own, newest, 1, MPI_INTEGER, MPI_MIN, link%both)
      if (.not. differs(newest)) return
      own = newest
    end do

  contains

    logical function differs(from)
      integer, intent(in) :: from

      differs = is_asked .and. own /= from
      call MPI_Allreduce(MPI_IN_PLACE, differs, 1, MPI_LOGICAL, MPI_LOR, link%both)
    end function differs
  end function newest_of_both
end module globe_exchange
