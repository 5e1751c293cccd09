import {type CheckpointStore, isMadeHere, type ListedCheckpoint, newestSound} from "./store.ts"

export interface PruneOptions {
  readonly keep: number
  /** Returns whether a checkpoint counts and may be deleted; all when left out. */
  readonly among?: (checkpoint: ListedCheckpoint) => boolean
  /** Returns whether a checkpoint must be kept, for example for an open observation window. */
  readonly spared?: (id: string) => boolean
}

/**
 * Deletes all but the newest `keep` checkpoints that were made here, and all but the newest `keep` uploaded ones. Never
 * deletes the newest verified checkpoint that was made here. Resolves to the deleted ids, newest first.
 */
export const pruneCheckpoints = async (
  store: CheckpointStore,
  {keep, among = () => true, spared = () => false}: PruneOptions,
): Promise<readonly string[]> => {
  const {checkpoints} = await store.list()
  const newestVerified = newestSound(checkpoints)?.id
  const counted = checkpoints.filter(among)
  const own = counted.filter(isMadeHere).slice(keep)
  const uploaded = counted.filter(each => !isMadeHere(each)).slice(keep)
  const surplus = checkpoints
    .filter(each => own.includes(each) || uploaded.includes(each))
    .map(({id}) => id)
    .filter(id => id !== newestVerified && !spared(id))
  for (const id of surplus) await store.remove(id)
  return surplus
}
