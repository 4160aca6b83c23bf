package alarm

import "fmt"

// Name names an alarm.
type Name string

// The alarms, in the order of the table.
const (
	Telegram Name = "telegram" // Telegram does not answer, or refuses the bot
	Poll     Name = "poll"     // no poll was answered for long, although none failed
	Outbox   Name = "outbox"   // nothing can be sent
	Drain    Name = "drain"    // messages wait for long, although sending does not fail
	Loop     Name = "loop"     // a loop of the service stands still
	Disk     Name = "disk"     // the disk of the state folder is nearly full
	Database Name = "database" // the database can't be written
	Memory   Name = "memory"   // the machine has little memory left
	Walls    Name = "walls"    // a worker can't be started
	Model    Name = "model"    // a model's server refuses the key or the account
	Clock    Name = "clock"    // this machine's clock is wrong
	Backup   Name = "backup"   // backups fail, or are overdue
	Copy     Name = "copy"     // the copy of backups on another disk is overdue
	Drill    Name = "drill"    // the newest backup can't be restored
	Update   Name = "update"   // the last update has failed
	SafeMode Name = "safe mode"
)

// Row is a condition of the table.
type Row struct {
	Name   Name
	Words  string // begins the notice; the condition's details follow
	Remedy string // what to do
	Ended  string // the notice of the end
	// Directly means that a row of the database can't be trusted to reach the admins. Then they are
	// told without storing the notice.
	Directly bool
	// Elsewhere means that the part with the problem tells the admins, with more details. The alarm
	// then goes only to the URL, whose readers may be anybody: its text names no person.
	Elsewhere bool
	// Severe alarms stop the heartbeat. A fault that one person alone has is never severe.
	Severe bool
}

// text returns the notice of an alarm.
func (r Row) text(details string) string { return fmt.Sprintf(r.Words, details) + " " + r.Remedy }

// Patience is how many checks in a row must find a problem before its alarm is raised, and how many
// must find none before the alarm has ended.
const Patience = 3

// Table lists all conditions.
func Table() []Row { return table }

var table = []Row{
	{Name: Telegram, Severe: true, Words: textTelegram, Remedy: remedyTelegram, Ended: endedTelegram},
	{Name: Poll, Severe: true, Words: textNotReady, Remedy: remedyStuck, Ended: endedPoll},
	{Name: Outbox, Severe: true, Words: textOutbox, Remedy: remedyTelegram, Ended: endedOutbox},
	{Name: Drain, Directly: true, Severe: true, Words: textNotReady, Remedy: remedyStuck, Ended: endedDrain},
	{Name: Loop, Directly: true, Severe: true, Words: textNotReady, Remedy: remedyStuck, Ended: endedLoop},
	{Name: Disk, Elsewhere: true, Severe: true, Words: textDisk, Remedy: remedyDisk, Ended: endedDisk},
	{Name: Database, Directly: true, Severe: true, Words: textNotReady, Remedy: remedyDatabase, Ended: endedDatabase},
	{Name: Memory, Words: textMemory, Remedy: remedyMemory, Ended: endedMemory},
	{Name: Walls, Elsewhere: true, Words: textWalls, Remedy: remedyWalls, Ended: endedWalls},
	{Name: Model, Elsewhere: true, Words: textModel, Remedy: remedyModel, Ended: endedModel},
	{Name: Clock, Words: textClock, Remedy: remedyClock, Ended: endedClock},
	{Name: Backup, Words: textBackup, Remedy: remedyBackup, Ended: endedBackup},
	{Name: Copy, Words: textCopy, Remedy: remedyCopy, Ended: endedCopy},
	{Name: Drill, Words: textDrill, Remedy: remedyDrill, Ended: endedDrill},
	{Name: Update, Elsewhere: true, Words: textUpdate, Remedy: remedyUpdate, Ended: endedUpdate},
	{Name: SafeMode, Elsewhere: true, Severe: true, Words: textSafeMode, Remedy: remedySafeMode, Ended: endedSafeMode},
}
