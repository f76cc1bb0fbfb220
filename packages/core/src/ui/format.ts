/** Returns a share of 0 to 1 as a percentage with at most one decimal: `12.5%`. */
export const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`
