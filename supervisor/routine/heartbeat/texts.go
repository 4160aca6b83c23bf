package heartbeat

const textWrong = "I can't read the time at the beginning of this item. Write it as in: - @weekdays 8:30 look at " +
	"the build"
