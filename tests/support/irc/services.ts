import {existsSync, mkdirSync, readdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {startProcess, untilPrinted} from "../host/process.ts"
import {makeFolder} from "../machine/folders.ts"
import {tool} from "../machine/tools.ts"
import {type IrcServer, joinIrc, services} from "./servers.ts"

/** Full paths, in the order of their dependencies: atheme does not look in the folder of an unpacked package. */
const modules = `transport/rfc1459 backend/corestorage backend/opensex protocol/base36uid protocol/inspircd
  nickserv/main nickserv/register nickserv/identify saslserv/main saslserv/plain`.split(/\s+/)

const service = (name: string) =>
  `${name.toLowerCase()} { nick = "${name}"; user = "${name}"; host = "${services.name}"; real = "${name}"; };`

const configOf = (folder: string, {linkPort}: IrcServer) => `
${modules.map(name => `loadmodule "${join(folder, name)}";`).join("\n")}
serverinfo {
  name = "${services.name}"; desc = "services of the tests"; numeric = "00A"; recontime = 1; netname = "test";
  adminname = "admin"; adminemail = "admin@services.test"; registeremail = "admin@services.test";
  auth = none; casemapping = rfc1459;
};
uplink "irc.inspircd.test" {
  host = "127.0.0.1"; port = ${linkPort};
  send_password = "${services.password}"; receive_password = "${services.password}";
};
${service("NickServ")}
${service("SaslServ")}
general { permissive_mode; commit_interval = 5; };
`

const modulesOf = (root: string): string => {
  const libraries = join(root, "usr/lib")
  const found = readdirSync(libraries)
    .map(name => join(libraries, name, "atheme/modules"))
    .find(path => existsSync(path))
  if (found === undefined) throw new Error(`no modules of atheme in ${libraries}`)
  return found
}

/** Links real atheme services to an inspircd, and registers the accounts. From then on the server offers SASL PLAIN. */
export const startServices = async (server: IrcServer, accounts: Readonly<Record<string, string>>): Promise<void> => {
  const {path, root, env} = tool("atheme-services")
  const folder = makeFolder()
  mkdirSync(join(folder, "data"))
  const file = (name: string) => join(folder, name)
  writeFileSync(file("services.conf"), configOf(modulesOf(root), server))
  const files = ["-c", file("services.conf"), "-l", file("log"), "-p", file("pid"), "-D", file("data")]
  await untilPrinted(startProcess([path, "-n", ...files], {env}), "finished synching with uplink")
  for (const [account, password] of Object.entries(accounts)) {
    const person = await joinIrc(server, account)
    person.say("NickServ", `REGISTER ${password} ${account}@example.test`)
    await person.sees(/NOTICE \S+ :.*is now registered/)
    await person.leave()
  }
}
