import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import {userInfo} from "node:os"
import {join} from "node:path"
import {type Running, startProcess, until, untilPrinted} from "../../host/process.ts"
import {makeFolder} from "../../host/project.ts"
import {whenOver} from "../../host/shared.ts"
import {freePort} from "../../machine/ports.ts"
import {tool} from "../../machine/tools.ts"

/** A real Dovecot on a loopback port, with the tests' mailboxes. */
export interface Dovecot {
  readonly port: number
  /** Puts a mail into a mailbox; `arrived` is its date of arrival, in milliseconds since 1970. */
  deliver(user: string, source: string | Buffer, arrived?: number): void
  /** The mails of a folder, each with its flags; `S` means seen. */
  mails(user: string, folder?: string): readonly {readonly flags: string; readonly source: string}[]
  /** Renumbers the folder, like a server that was restored. The server must be stopped. */
  renumber(user: string): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
}

/** The password of all mailboxes. */
export const mailboxPassword = "the-right-one-for-mail"

const config = (folder: string, port: number, as: string, group: string, more: string) => `
base_dir = ${folder}/base
state_dir = ${folder}/state
log_path = /dev/stderr
instance_name = ${folder.replace(/\W/g, "-")}
protocols = imap
ssl = no
disable_plaintext_auth = no
listen = 127.0.0.1
default_internal_user = ${as}
default_internal_group = ${group}
default_login_user = ${as}
first_valid_uid = 1
auth_failure_delay = 0
mail_max_userip_connections = 50
mail_location = maildir:${folder}/mail/%u
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
passdb {
  driver = static
  args = password=${mailboxPassword}
}
userdb {
  driver = static
  args = uid=${as} gid=${group} home=${folder}/mail/%u
}
${more}
`

/** The user to which a root process drops its rights; other users run it under their own name. */
const nobody = {uid: 65_534, gid: 65_534, name: "nobody", group: "nogroup"} as const

const owner = () => {
  const {uid, gid, username} = userInfo()
  return uid === 0 ? nobody : {uid, gid, name: username, group: String(gid)}
}

const childrenOf = (pid: number): readonly number[] => {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : []
}

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has already ended.
  }
}

/** Starts a server; resolves once it serves. It is killed when the test ends. `more` is added to its configuration. */
export const startDovecot = async (users: readonly string[], more = ""): Promise<Dovecot> => {
  const folder = makeFolder()
  chmodSync(folder, 0o755)
  const {uid, gid, name, group} = owner()
  const port = await freePort()
  const own = (path: string) => {
    mkdirSync(path, {recursive: true})
    chownSync(path, uid, gid)
  }
  own(join(folder, "mail"))
  for (const user of users) for (const part of ["", "cur", "new", "tmp"]) own(join(folder, "mail", user, part))
  const file = join(folder, "dovecot.conf")
  writeFileSync(file, config(folder, port, name, group, more))
  let running: Running | undefined
  const start = async () => {
    running = startProcess([tool("dovecot").path, "-F", "-c", file])
    whenOver(kill)
    await untilPrinted(running, /starting up for imap/)
  }
  const kill = async () => {
    if (running === undefined) return
    // If only the master is stopped, its child processes take ten seconds to end.
    const {child, pid, finished} = running
    running = undefined
    const children = childrenOf(pid)
    child.kill("SIGKILL")
    for (const each of children) killIfThere(each)
    await finished
    rmSync(join(folder, "base"), {recursive: true, force: true})
  }
  await start()
  let count = 0
  const folderOf = (user: string, box = "INBOX") => join(folder, "mail", user, box === "INBOX" ? "" : `.${box}`)
  return {
    port,
    deliver: (user, source, arrived = Date.now()) => {
      const id = `${Math.floor(Date.now() / 1000)}.M${String(++count).padStart(6, "0")}P1.test`
      const written = join(folderOf(user), "tmp", id)
      writeFileSync(written, source)
      chownSync(written, uid, gid)
      utimesSync(written, arrived / 1000, arrived / 1000)
      renameSync(written, join(folderOf(user), "new", id))
    },
    mails: (user, box) =>
      ["cur", "new"].flatMap(part => {
        const place = join(folderOf(user, box), part)
        try {
          return readdirSync(place).map(each => ({
            flags: each.split(":2,")[1] ?? "",
            source: readFileSync(join(place, each), "utf8"),
          }))
        } catch {
          return []
        }
      }),
    renumber: async user => {
      // Dovecot numbers a folder by the second: the number changes only after this second.
      const [, validity = ""] = /^3 V(\d+)/.exec(readFileSync(join(folderOf(user), "dovecot-uidlist"), "utf8")) ?? []
      await until("the second of the folder's number to be over", () => Date.now() >= (Number(validity) + 1) * 1000)
      for (const each of readdirSync(folderOf(user)))
        if (each.startsWith("dovecot")) rmSync(join(folderOf(user), each), {recursive: true})
    },
    kill,
    start,
  }
}
