/** Called with the progress of long work: the step, and its done and total bytes. A total of 0 means unknown. */
export type Progress = (step: string, done: number, total: number) => void

export const noProgress: Progress = () => {}
