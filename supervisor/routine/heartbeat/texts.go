package heartbeat

const textWrong = "I can't read the time that it begins with. It is written as in: - @weekdays 8:30 look at the build"
