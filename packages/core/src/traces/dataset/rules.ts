/** Returns what two spellings of a buyer's name have in common: trimmed, in NFC, without regard to case. */
export const buyerKey = (buyer: string): string => buyer.normalize('NFC').trim().toLowerCase()
