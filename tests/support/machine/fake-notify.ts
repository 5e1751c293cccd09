import {chmodSync, existsSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {makeFolder} from "../host/project.ts"

/** A fake `systemd-notify`: a shell script that writes down its arguments, and then does `more`. */
export const fakeNotify = (more = "") => {
  const folder = makeFolder()
  const file = join(folder, "told")
  writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$@" >> ${file}\n${more}\n`)
  chmodSync(join(folder, "systemd-notify"), 0o755)
  return {
    variables: {NOTIFY_SOCKET: "/run/none", PATH: `${folder}:${process.env.PATH}`},
    /** Returns the arguments of each call. */
    told: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []),
  }
}
