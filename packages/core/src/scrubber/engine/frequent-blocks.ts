/** Three letters that follow each other often in prose and code, the most frequent first. */
export const frequentBlocks: readonly string[] = `
ion the tio ent con ing ser ess ati and use pro for ate ssi age ons est res sta str err ect sio com all tri
ass ght ame cti tur igh dat tor fun nte ers rin che fli unc lig ses ile nce you ine ont eco can nge ret typ
etu ist ype nam men urn rea ten val fil cha ith ool not ode anc ese ory iti nct hat ide pos gen ter pec sto
tim rro ole par ime han der nst ror ver ble spe thi eng ath sit erv pat vat tin ins wit lin ted too mbe ber
int cal get ail rov ang rva lue rol tes his vid mar rec alu abl bas ovi osi our sse ort ono sin arg nom omy
ire cod ata ger ars mma ase mes gin pas num omm cst jec led var pri sti sen und out tra nts rom her des nde
tat one mod por oun eat ind ecs ext man ina nes las cre tha tan ach ran umb ead exp dir mat ain tho fer ori
obj ren ant rig ert equ hec eck nat act orm ope ive ges len cla ack ces ere fro tai hou has ure per ave sch
def ice cur low fie uld oul ple usi boo are omp onf les igi htt sea eta ttp own met ite ref bag tru key sur
sis ric syn cat dit req bin tch fir eac pen lse llo edi set son ult ali cel nfi sic cli eed ume rre rma ard
pay art red arr lea rat rst ste ace ore eve asi sag mpl fla ync bje hts ule fin ook end rip ust ils yme nsu
pre ssa aym enc eld eas mal tal ura col ree als era cke bus opt iel let ifi new log det rse ost ffe unt lle
car ell ove cto irs sho run ude nal ara pac qui dow put eth onl tps lag mpo bug rts kin ica ast din ven hem
lab dif pti tex atc ond wor ema ked ava imp dul tar ill tot rce lic urr lat loc min uir atu add xpo ake epa
vel sel fre ize dep abi rep ann app git ini deb rsi lis ull ary rsh sum sed rac ebu hin nil efi pla ila del
tus tic cab tiv ues ens har nta roc den clo rit ded fig eme jso rav reg rue ngt ner nly oce vai nti rop mai
olo urc any sou rgu elf ear lor gum rti nee odi try ord ena fal cer ork ark eri amp pkg nin ats hod sol ose
lau hen scr gth fic ean att ags ify aud war mus buf edu rou hed que dex ray emb ram nds cor oll odu mem eci
ome rra dec nit nno hel but utp agg tpu uff eof hma cou non url inf mak ets nfo els ise row spa ele esu cri
shm iva wil sec lan sts gag ies thu inc gga iss tem hub gra now ial loa map esc oto liz dis hes umm ity thr
oca oki tte ene riv nco rgs ash oni oth whe med ike ipt ans epr ned arc lik tif rem mou nsi roj ota peo rot
oje sam wri hav lou rkd pda upd kdo ild lve uni efa oud ndi gif amo dle nod mit erm cte aul efu fau lie npm
ete hro sul ics ful rch
`
  .trim()
  .split(/\s+/)
