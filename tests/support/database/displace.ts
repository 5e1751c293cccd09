import {copyFileSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {dirname} from "node:path"

/** A way to move a database away from a process that has it open. */
export interface Displacement {
  readonly name: string
  displace(file: string): void
}

export const displacements: readonly Displacement[] = [
  {
    name: "the file is replaced by a copy of itself",
    displace: file => {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    },
  },
  {name: "the file is removed", displace: file => rmSync(file)},
  {name: "the folder is renamed", displace: file => renameSync(dirname(file), `${dirname(file)}-moved`)},
  {name: "the log is removed", displace: file => rmSync(`${file}-wal`)},
  {
    name: "the log is replaced",
    displace: file => {
      writeFileSync(`${file}.copy`, "")
      renameSync(`${file}.copy`, `${file}-wal`)
    },
  },
]
