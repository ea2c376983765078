# Models written byte by byte. Loaded after common.bash.

# shellcheck disable=SC2034 # for the tests
two='[["+1",1,"t:1",1],["-1",-1,"t:2",2]]'

# Little-endian float32 of a few numbers.
float() {
    case $1 in
    0) printf '\0\0\0\0' ;;
    1) printf '\0\0\x80\x3f' ;;
    2) printf '\0\0\0\x40' ;;
    0.5) printf '\0\0\0\x3f' ;;
    -1) printf '\0\0\x80\xbf' ;;
    huge) printf '\xff\xff\x7f\x7f' ;;
    nan) printf '\0\0\xc0\x7f' ;;
    esac
}

# A model without bias, as a record on stdout.
#   model SPEC ITERATION CLASSES-JSON OUTPUTS WEIGHT...      (DATA: its metadata `data`, if set)
model() {
    local spec=$1 iteration=$2 classes=${3//\"/\\\"} outputs=$4 d meta header length w
    shift 4
    d=$(($# / outputs))
    meta='"format":"dsgd-model 1","model":"'$spec'","features":"'$d'","classes":"'$classes'"'
    meta=$meta',"bias":"0","iteration":"'$iteration'","time":"0.25"'
    meta=$meta${DATA:+',"data":"'${DATA//\"/\\\"}'"'}
    header='{"__metadata__":{'$meta'},"weight":{"dtype":"F32","shape":['$outputs,$d']'
    header=$header',"data_offsets":[0,'$(($# * 4))']}}'
    printf -v length '\\x%02x\\x%02x' $((${#header} % 256)) $((${#header} / 256))
    # shellcheck disable=SC2059 # the format is the bytes
    printf "$length\0\0\0\0\0\0"
    printf %s "$header"
    for w in "$@"; do
        float "$w"
    done
}
