import {Problem} from "../../shared/problems.ts"
import {CommitMeter} from "./commit-meter.ts"
import type {Database, DatabaseState, Location} from "./database.ts"

/** Replaces a remote database that does not answer: it refuses every request with `database_unopenable`. */
export class AbsentDatabase implements Database {
  readonly location: Location
  readonly state: DatabaseState = {is: "closed"}
  readonly applied = []
  readonly commits = new CommitMeter()
  /** Has a caller asked for data? */
  wasAsked = false

  constructor(location: Location) {
    this.location = location
  }

  read = () => this.#refuse()
  write = () => this.#refuse()
  bringUp = () => this.#refuse()
  migrate = () => this.#refuse()
  purge = () => this.#refuse()
  snapshotTo = () => this.#refuse()
  snapshotPoint = () => this.#refuse()
  giveBack = () => this.#refuse()
  truncateLog = () => this.#refuse()
  check = () => this.#refuse()
  inspectPlace = () => undefined
  rescueTo = () => this.#refuse()
  observe = () => () => {}
  close = async () => {}

  async #refuse(): Promise<never> {
    this.wasAsked = true
    throw new Problem("database_unopenable", "the remote database does not answer yet", {
      hint: "The Host retries automatically. Data is available once the database answers.",
    })
  }
}
