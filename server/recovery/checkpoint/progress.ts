/** Hears how long work goes on: what is being done, and how many bytes of it; 0 in all where that is not known. */
export type Progress = (step: string, done: number, total: number) => void

export const noProgress: Progress = () => {}
