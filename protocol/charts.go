package protocol

// ChartsFolder is the folder of the home with charts.
const ChartsFolder = "charts"
