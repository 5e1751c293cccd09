import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {isStatementError} from "../../database/engine/errors.ts"

const hasIndex = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'memory_index'"

const columns = "rowid, owner, spot, words"
const old = `INSERT INTO memory_index (memory_index, ${columns}) VALUES ('delete', OLD.seq, OLD.owner, OLD.spot, OLD.words)`

/** The index reads its texts from the rows. With `secure-delete`, a deleted row leaves no word in it. */
const creating: readonly string[] = [
  "CREATE VIRTUAL TABLE memory_index USING fts5(owner, spot, words, content = 'agent_memories', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2')",
  "INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1)",
  `CREATE TRIGGER memory_index_added AFTER INSERT ON agent_memories BEGIN
    INSERT INTO memory_index (${columns}) VALUES (NEW.seq, NEW.owner, NEW.spot, NEW.words); END`,
  `CREATE TRIGGER memory_index_gone AFTER DELETE ON agent_memories BEGIN ${old}; END`,
  "INSERT INTO memory_index (memory_index) VALUES ('rebuild')",
]

/**
 * The index of memories. It is created when an agent first has memory: no other project pays for it. In a database
 * without FTS5, only the newest memories are found.
 */
export class MemoryIndex {
  readonly #options: {readonly database: Database; readonly log: Log}
  #made: Promise<boolean> | undefined

  constructor(options: {readonly database: Database; readonly log: Log}) {
    this.#options = options
  }

  /** Resolves to whether there is an index. Creates it if it does not exist. */
  ready(): Promise<boolean> {
    this.#made ??= this.#make().catch(error => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  async #make(): Promise<boolean> {
    const {database, log} = this.#options
    if ((await database.read(hasIndex)).length > 0) return true
    try {
      const statements = creating.map(sql => ({sql}))
      await database.migrate(statements, new AbortController().signal, () => "creating the index of memories")
      return true
    } catch (error) {
      if (!(error instanceof Problem) || !isStatementError(error.cause)) throw error
      log.error(`the database cannot search memories: ${messageOf(error)}; agents only see the newest ones`)
      return false
    }
  }
}
