import {createLogs} from "../../../server/runtime/logs/log.ts"

/** A real log without output. */
export const {log} = createLogs({level: "fatal", format: "json", colors: false, write: () => {}})
