import type {Part} from "../en/en.ts"

export const generations: Part<"generations"> = {
  list: "Generaciones aplicadas, la más reciente primero",
  current: "en marcha",
  failed: "La configuración más reciente no se aplicó",
  pinned: number => `La generación ${number} está fijada`,
  unpin: "Quitar la fijación",
  unpinSays: "El Host carga el archivo de configuración tal como está ahora, como una nueva generación.",
  reload: "Recargar la configuración",
  reloadSays:
    "El Host carga el archivo de configuración tal como está ahora. Si esa configuración no se inicia, sigue la que está en marcha.",
  unchanged: "La configuración no ha cambiado.",
  runs: number => `La generación ${number} está en marcha.`,
  rollBack: "Revertir",
  rollBackTo: number => `Revertir a la generación ${number}`,
  rollBackSays: number =>
    `El Host vuelve a ejecutar la configuración de la generación ${number}, como una nueva generación.`,
  enables: names => `Activa ${names}.`,
  disables: names => `Desactiva ${names}.`,
  codeChanged: names => `Cambió el código de ${names}.`,
  codeStays: "Los plugins ejecutan su código actual: una reversión restaura la configuración, no el código.",
  codeIsNot: (names, number) =>
    `Una reversión no restaura el código. El código de ${names} cambió desde la generación ${number}, y se sigue usando el actual.`,
  rollBackPins:
    "El Host la fija, también tras reinicios, hasta que cambie el archivo o se quite la fijación. Los mensajes y los datos quedan como están.",
  rolledBack: (number, made) => `La generación ${made} está en marcha con la configuración de la generación ${number}.`,
  changes: "Cambios",
  changesOf: number => `Cambios de la generación ${number}`,
  compare: number => `Comparar con ${number}`,
  compareWith: (number, running) => `Comparar con ${running}: generación ${number}`,
  diff: (from, to) => `De la generación ${from} a la ${to}`,
  same: "Las configuraciones son iguales.",
}
