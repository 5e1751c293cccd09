import {parentPort, workerData} from "node:worker_threads"
import {type AttackName, attacks} from "../../bench/attacks/kinds.ts"
import {Chance} from "../../support/machine/chance.ts"

/** One attack on a port of this machine, for a second, in a thread beside the test. */
export interface Attack {
  readonly name: AttackName
  readonly port: number
  readonly token: string
  /** The share of the full attack's connections. */
  readonly scale: number
}

const {name, ...aim} = workerData as Attack
const seen = {sent: 0, accepted: 0, acceptedHosts: 0, failed: 0}
await attacks[name]({...aim, until: performance.now() + 1000, chance: new Chance(15)}, seen)
parentPort?.postMessage(seen)
