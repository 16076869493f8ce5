"""Names forbidden for a kernel in C or C++: keywords, and names of the standard headers."""

_CPP = """alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return co_yield
compl concept consteval constexpr constinit const_cast decltype delete dynamic_cast explicit export false friend mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires
static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq typeof
inline errno main environ linux unix"""
_MATH = """acos asin atan atan2 cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma
hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward
pow remainder remquo rint round scalbln scalbn significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn"""
_LIBRARY = """abort abs aligned_alloc atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc
mblen mbstowcs mbtowc qsort rand random realloc srand strtod strtof strtol strtoll strtoul system wcstombs wctomb bcmp bcopy bzero
ffs index rindex memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat
strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm printf puts scanf read write open close pipe fork wait select signal
raise time clock remove rename stat link send recv bind listen accept connect dup mmap cabs carg creal cimag conj csqrt"""

RESERVED = frozenset(
    [*_CPP.split(), *_LIBRARY.split(), *_MATH.split(), *(f"{n}{end}" for n in _MATH.split() for end in "fl")]
)
MACROS = frozenset(
    ["I", "NULL", "EOF", "BUFSIZ", "RAND_MAX", "INFINITY", "NAN", "HUGE_VAL", "M_PI", "complex", "imaginary"]
)
