/** Exit codes of every `svc` process. 51, 75 and 70 (an unrequested exit) ask a supervisor to restart the Host. */
export const exit = {ok: 0, failed: 1, consoleRestart: 51, unasked: 70, runtimeRestart: 75} as const
export type ExitReason = keyof typeof exit
export type ExitCode = (typeof exit)[ExitReason]
