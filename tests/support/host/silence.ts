import {createLogs} from "../../../server/logs/log.ts"

/** A real log that nobody reads. */
export const {log} = createLogs({level: "fatal", format: "json", colors: false, write: () => {}})
