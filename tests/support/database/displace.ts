import {copyFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync} from "node:fs"
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

/** A way to change the files in place, which another program can only do between two writes of the process. */
export const truncations: readonly Displacement[] = [
  {name: "the log is emptied", displace: file => truncateSync(`${file}-wal`)},
  {name: "the log is truncated", displace: file => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size / 2)},
  {name: "the log is overwritten", displace: file => writeFileSync(`${file}-wal`, "somebody else's")},
  {name: "the file is emptied", displace: file => truncateSync(file)},
  {name: "the file is truncated", displace: file => truncateSync(file, statSync(file).size - 4096)},
  {name: "the file is overwritten", displace: file => writeFileSync(file, "somebody else's")},
]
