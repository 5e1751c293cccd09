import {Chance} from "../../support/machine/chance.ts"
import {attackNames, attacks, type Seen} from "./kinds.ts"

/** Attacks a server and prints what it saw as JSON. Arguments: attack, port, token, milliseconds, scale, seed. */
const [name, port, token = "", time, scale, seed] = process.argv.slice(2)
const found = attackNames.find(each => each === name)
if (found === undefined) throw new Error(`there is no attack ${name}`)
const seen: {-readonly [key in keyof Seen]: Seen[key]} = {sent: 0, accepted: 0, acceptedHosts: 0, failed: 0}
const aim = {
  port: Number(port),
  token,
  until: performance.now() + Number(time),
  scale: Number(scale),
  chance: new Chance(Number(seed)),
}
await attacks[found](aim, seen)
process.stdout.write(`${JSON.stringify(seen)}\n`)
process.exit(0)
