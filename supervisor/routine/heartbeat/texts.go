package heartbeat

const textWrong = "I can't read the time at its beginning. Write it as in: - @weekdays 8:30 look at the build"
