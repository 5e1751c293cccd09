import {readdirSync, renameSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {scratchFolder} from "../../support/database/databases.ts"
import {tool} from "../../support/machine/tools.ts"

/** The clock of a process: the machine's, set otherwise by libfaketime, while the time that passes stays what it is. */
export interface Clock {
  /** The environment of a process that is to have it. */
  readonly env: Readonly<Record<string, string>>
  /** So many seconds off the machine's from now on. */
  set(seconds: number): void
}

export const makeClock = (): Clock => {
  const file = join(scratchFolder(), "clock")
  // Renamed into its place: who reads it meanwhile finds a whole time.
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`)
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    env: {
      LD_PRELOAD: libraryOf("faketime"),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    },
    set,
  }
}

/** The library beside the program, in the folder of the machine's architecture. */
const libraryOf = (name: "faketime"): string => {
  const folder = join(tool(name).root, "usr/lib")
  const architecture = readdirSync(folder).find(entry => entry.includes("-linux-"))
  return join(folder, architecture ?? "", "faketime/libfaketime.so.1")
}
