import {readdirSync, renameSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {makeFolder} from "../database/databases.ts"
import {tool} from "./tools.ts"

export interface Clock {
  /** The environment for a process that should use this clock. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock to the machine's time plus this number of seconds. */
  set(seconds: number): void
}

/** A clock for the time of day, and for the monotonic clock and its timers only if asked. */
export const makeClock = ({monotonic = false} = {}): Clock => {
  const file = join(makeFolder(), "clock")
  // Renamed into place, so that a reader always sees a complete value.
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
      ...(monotonic ? {} : {FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1"}),
    },
    set,
  }
}

/** The library for programs with threads, in the folder of the machine's architecture. */
const libraryOf = (name: "faketime"): string => {
  const folder = join(tool(name).root, "usr/lib")
  const architecture = readdirSync(folder).find(entry => entry.includes("-linux-"))
  return join(folder, architecture ?? "", "faketime/libfaketimeMT.so.1")
}
