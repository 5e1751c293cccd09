import type {CheckpointStore, StoredCheckpoint} from "./store.ts"

export interface PruneOptions {
  readonly keep: number
  /** Which ones count and may go; all when left out. */
  readonly among?: (checkpoint: StoredCheckpoint) => boolean
  /** What must stay besides: open observation windows. */
  readonly spared?: (id: string) => boolean
}

/** Removes all but the newest so many; never the newest verified one. Resolves to the ids that are gone, newest first. */
export const pruneCheckpoints = async (
  store: CheckpointStore,
  {keep, among = () => true, spared = () => false}: PruneOptions,
): Promise<readonly string[]> => {
  const {checkpoints} = await store.list()
  const newestVerified = checkpoints.find(({verification}) => verification?.ok === true)?.id
  const surplus = checkpoints
    .filter(among)
    .slice(keep)
    .map(({id}) => id)
    .filter(id => id !== newestVerified && !spared(id))
  for (const id of surplus) await store.remove(id)
  return surplus
}
